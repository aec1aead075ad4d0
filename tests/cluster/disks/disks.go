// Package disks is a provisioner whose volumes are folders of a node: claims of the storage class "lab" get one as
// soon as their pod has a node, and lose it with the claim.
package disks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	core "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"tests/cluster/cards"
)

const (
	class       = "lab"
	provisioner = "tests/disks"
	// byUs marks volumes, and selected is where the scheduler writes the node that a claim's pod goes to.
	byUs     = "pv.kubernetes.io/provisioned-by"
	selected = "volume.kubernetes.io/selected-node"
)

type disks struct {
	kubeconfig, folder string
	client             kubernetes.Interface
}

// Command creates the storage class and the class of the cards, and provisions volumes until it is killed.
func Command() *cobra.Command {
	var all disks
	command := &cobra.Command{
		Use:  "disks",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return all.serve(command.Context()) },
	}
	command.Flags().StringVar(&all.kubeconfig, "kubeconfig", "", "how the API server is reached")
	command.Flags().StringVar(&all.folder, "folder", "", "where the volumes lie")
	return command
}

func (all *disks) serve(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", all.kubeconfig)
	if err != nil {
		return err
	}
	if all.client, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	if err := all.classes(ctx); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(all.client, 0)
	on := func(informer cache.SharedIndexInformer, act func(any) error) {
		tried := func(object any) {
			if err := act(object); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
		_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: tried, UpdateFunc: func(_, object any) { tried(object) },
		})
	}
	on(factory.Core().V1().PersistentVolumeClaims().Informer(), func(object any) error {
		return all.provide(ctx, object.(*core.PersistentVolumeClaim))
	})
	on(factory.Core().V1().PersistentVolumes().Informer(), func(object any) error {
		return all.remove(ctx, object.(*core.PersistentVolume))
	})
	factory.Start(ctx.Done())
	<-ctx.Done()
	return nil
}

func (all *disks) classes(ctx context.Context) error {
	late, gone := storage.VolumeBindingWaitForFirstConsumer, core.PersistentVolumeReclaimDelete
	disk := &storage.StorageClass{
		ObjectMeta:  meta.ObjectMeta{Name: class, Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}},
		Provisioner: provisioner, VolumeBindingMode: &late, ReclaimPolicy: &gone,
	}
	if _, err := all.client.StorageV1().StorageClasses().Create(ctx, disk, meta.CreateOptions{}); err != nil && !errors.IsAlreadyExists(err) {
		return err
	}
	isOurs := fmt.Sprintf("device.driver == '%[1]s' && device.attributes['%[1]s'].type == 'gpu'", cards.Driver)
	card := &resourceapi.DeviceClass{
		ObjectMeta: meta.ObjectMeta{Name: cards.Driver},
		Spec:       resourceapi.DeviceClassSpec{Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: isOurs}}}},
	}
	if _, err := all.client.ResourceV1().DeviceClasses().Create(ctx, card, meta.CreateOptions{}); err != nil && !errors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// provide makes a volume for a claim whose pod has a node.
func (all *disks) provide(ctx context.Context, claim *core.PersistentVolumeClaim) error {
	node := claim.Annotations[selected]
	if claim.Spec.StorageClassName == nil || *claim.Spec.StorageClassName != class || claim.Spec.VolumeName != "" || node == "" {
		return nil
	}
	name := "lab-" + string(claim.UID)
	folder := filepath.Join(all.folder, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	// A kubelet compares its labels alone.
	there := core.NodeSelectorTerm{MatchExpressions: []core.NodeSelectorRequirement{
		{Key: core.LabelHostname, Operator: core.NodeSelectorOpIn, Values: []string{node}},
	}}
	volume := &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: name, Annotations: map[string]string{byUs: provisioner}},
		Spec: core.PersistentVolumeSpec{
			StorageClassName:              class,
			AccessModes:                   claim.Spec.AccessModes,
			Capacity:                      claim.Spec.Resources.Requests,
			PersistentVolumeReclaimPolicy: core.PersistentVolumeReclaimDelete,
			PersistentVolumeSource:        core.PersistentVolumeSource{Local: &core.LocalVolumeSource{Path: folder}},
			NodeAffinity:                  &core.VolumeNodeAffinity{Required: &core.NodeSelector{NodeSelectorTerms: []core.NodeSelectorTerm{there}}},
			ClaimRef: &core.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
		},
	}
	if _, err := all.client.CoreV1().PersistentVolumes().Create(ctx, volume, meta.CreateOptions{}); err != nil && !errors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// remove deletes a volume whose claim is gone, with all that is in it.
func (all *disks) remove(ctx context.Context, volume *core.PersistentVolume) error {
	if volume.Annotations[byUs] != provisioner || volume.Status.Phase != core.VolumeReleased {
		return nil
	}
	if err := os.RemoveAll(volume.Spec.Local.Path); err != nil {
		return err
	}
	if err := all.client.CoreV1().PersistentVolumes().Delete(ctx, volume.Name, meta.DeleteOptions{}); err != nil && !errors.IsNotFound(err) {
		return err
	}
	return nil
}
