// Package cards offers cards that are device nodes which do nothing, in either of the ways that NVIDIA's are offered: as
// a DRA driver, with the names, attributes and capacities that NVIDIA's publishes, so that claims are written as for real
// ones, or counted by a device plugin.
package cards

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

// Driver is the name under which NVIDIA's driver publishes its cards, and of its device class.
const Driver = "gpu.nvidia.com"

// kind names the cards in CDI files, which are how a container runtime is told of device nodes.
const kind = "cards.tests/card"

// driver offers the cards of one node.
type driver struct {
	kubeconfig, node, kubelet, cdi, product, memory string
	uuids                                           []string
	counted                                         bool
}

// Command offers cards until it is killed.
func Command() *cobra.Command {
	var one driver
	command := &cobra.Command{
		Use:  "cards",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return one.serve(command.Context()) },
	}
	flags := command.Flags()
	flags.StringVar(&one.kubeconfig, "kubeconfig", "", "how the API server is reached")
	flags.StringVar(&one.node, "node", "", "the node's name")
	flags.StringVar(&one.kubelet, "kubelet", "", "the kubelet's root folder")
	flags.StringVar(&one.cdi, "cdi", "", "where the container runtime looks for CDI files")
	flags.StringVar(&one.product, "product", "", "the model of all cards")
	flags.StringVar(&one.memory, "memory", "24Gi", "the memory of each card")
	flags.StringSliceVar(&one.uuids, "uuids", nil, "the cards; the first is /dev/nvidia0")
	flags.BoolVar(&one.counted, "counted", false, "by a device plugin instead")
	return command
}

func (one *driver) serve(ctx context.Context) error {
	if one.counted {
		return plugin{uuids: one.uuids}.serve(ctx)
	}
	config, err := clientcmd.BuildConfigFromFlags("", one.kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	data, registry := filepath.Join(one.kubelet, "plugins", Driver), filepath.Join(one.kubelet, "plugins_registry")
	for _, folder := range []string{data, registry} {
		if err := os.MkdirAll(folder, 0o750); err != nil {
			return err
		}
	}
	plugin, err := kubeletplugin.Start(ctx, one,
		kubeletplugin.KubeClient(client), kubeletplugin.NodeName(one.node), kubeletplugin.DriverName(Driver),
		kubeletplugin.PluginDataDirectoryPath(data), kubeletplugin.RegistrarDirectoryPath(registry),
		kubeletplugin.HealthService(false))
	if err != nil {
		return err
	}
	slices := []resourceslice.Slice{{Devices: one.devices()}}
	pools := map[string]resourceslice.Pool{one.node: {Slices: slices}}
	if err := plugin.PublishResources(ctx, resourceslice.DriverResources{Pools: pools}); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func (one *driver) devices() []resourceapi.Device {
	var devices []resourceapi.Device
	for number, uuid := range one.uuids {
		attributes := map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
		for name, value := range map[resourceapi.QualifiedName]string{
			"type": "gpu", "uuid": uuid, "productName": one.product, "brand": "Nvidia", "architecture": "Ada Lovelace",
			"resource.kubernetes.io/pciBusID": fmt.Sprintf("0000:%02x:00.0", number+1),
		} {
			attributes[name] = resourceapi.DeviceAttribute{StringValue: &value}
		}
		for name, value := range map[resourceapi.QualifiedName]string{
			"cudaComputeCapability": "8.9.0", "cudaDriverVersion": "13.0.0", "driverVersion": "580.95.5",
		} {
			attributes[name] = resourceapi.DeviceAttribute{VersionValue: &value}
		}
		memory := resourceapi.DeviceCapacity{Value: resource.MustParse(one.memory)}
		devices = append(devices, resourceapi.Device{
			Name: "gpu-" + strconv.Itoa(number), Attributes: attributes,
			Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": memory},
		})
	}
	return devices
}

// PrepareResourceClaims writes a CDI file for each card of a claim before its pod starts.
func (one *driver) PrepareResourceClaims(_ context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	all := map[types.UID]kubeletplugin.PrepareResult{}
	for _, claim := range claims {
		var result kubeletplugin.PrepareResult
		for _, given := range claim.Status.Allocation.Devices.Results {
			if given.Driver != Driver {
				continue
			}
			id, err := one.write(claim.UID, given.Device)
			if err != nil {
				result.Err = err
				break
			}
			result.Devices = append(result.Devices, kubeletplugin.Device{
				Requests: []string{given.Request}, PoolName: given.Pool, DeviceName: given.Device, CDIDeviceIDs: []string{id},
			})
		}
		all[claim.UID] = result
	}
	return all, nil
}

func (one *driver) write(claim types.UID, device string) (string, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(device, "gpu-"))
	if err != nil || number >= len(one.uuids) {
		return "", fmt.Errorf("no card is called %s", device)
	}
	name, node := fmt.Sprintf("%s-%s", claim, device), fmt.Sprintf("/dev/nvidia%d", number)
	edits := map[string]any{
		"env":         []string{"NVIDIA_VISIBLE_DEVICES=void", fmt.Sprintf("CARD_%d=%s", number, one.uuids[number])},
		"deviceNodes": []any{map[string]any{"path": node, "permissions": "rw"}},
	}
	text, err := json.Marshal(map[string]any{
		"cdiVersion": "0.6.0", "kind": kind,
		"devices": []any{map[string]any{"name": name, "containerEdits": edits}},
	})
	if err != nil {
		return "", err
	}
	return kind + "=" + name, os.WriteFile(filepath.Join(one.cdi, name+".json"), text, 0o644)
}

// UnprepareResourceClaims removes the CDI files of claims whose pods ended.
func (one *driver) UnprepareResourceClaims(_ context.Context, claims []kubeletplugin.NamespacedObject) (map[types.UID]error, error) {
	all := map[types.UID]error{}
	for _, claim := range claims {
		files, err := filepath.Glob(filepath.Join(one.cdi, string(claim.UID)+"-*.json"))
		for _, file := range files {
			if failed := os.Remove(file); failed != nil {
				err = failed
			}
		}
		all[claim.UID] = err
	}
	return all, nil
}

// HandleError logs what the library does in the background.
func (one *driver) HandleError(_ context.Context, err error, what string) {
	fmt.Fprintln(os.Stderr, what, err)
}

// WatchHealthStatus has nothing to report.
func (one *driver) WatchHealthStatus(context.Context, chan<- kubeletplugin.DeviceHealthReport) error {
	return kubeletplugin.ErrHealthNotSupported
}
