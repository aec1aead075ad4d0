// Command kube is all parts of a Kubernetes cluster in one program, and the two drivers of the test cluster. The first
// argument chooses. One program, because its parts share nearly all of their code: 150 MB instead of 600.
package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"

	"tests/cluster/cards"
	"tests/cluster/disks"
)

var parts = map[string]func() *cobra.Command{
	"apiserver":   apiserver.NewAPIServerCommand,
	"controllers": controllers.NewControllerManagerCommand,
	"scheduler":   func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"proxy":       proxy.NewProxyCommand,
	"kubelet":     func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	"kubectl":     kubectl.NewDefaultKubectlCommand,
	"cards":       cards.Command,
	"disks":       disks.Command,
}

func main() {
	if len(os.Args) > 1 {
		if part, known := parts[os.Args[1]]; known {
			os.Args = os.Args[1:]
			os.Exit(cli.Run(part()))
		}
	}
	var names []string
	for name := range parts {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintln(os.Stderr, "usage: kube", strings.Join(names, "|"), "[argument…]")
	os.Exit(2)
}
