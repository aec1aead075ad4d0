package cards

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// plugin is the older way: a kubelet is told how many cards there are, and picks some.
type plugin struct {
	pluginapi.UnimplementedDevicePluginServer
	uuids []string
}

// serve registers the cards with the kubelet of this machine, whose sockets are at the same place wherever its folder is.
func (one plugin) serve(ctx context.Context) error {
	socket := filepath.Join(pluginapi.DevicePluginPath, "cards.sock")
	// A kubelet deletes what is there when it starts.
	for {
		if err := one.register(ctx, socket); err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	<-ctx.Done()
	return nil
}

func (one plugin) register(ctx context.Context, socket string) error {
	_ = os.Remove(socket)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	pluginapi.RegisterDevicePluginServer(server, one)
	go func() { _ = server.Serve(listener) }()
	kubelet := "unix://" + filepath.Join(pluginapi.DevicePluginPath, "kubelet.sock")
	link, err := grpc.NewClient(kubelet, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		server.Stop()
		return err
	}
	defer link.Close()
	request := &pluginapi.RegisterRequest{Version: pluginapi.Version, Endpoint: filepath.Base(socket), ResourceName: "nvidia.com/gpu"}
	if _, err := pluginapi.NewRegistrationClient(link).Register(ctx, request); err != nil {
		server.Stop()
		return err
	}
	return nil
}

// GetDevicePluginOptions has none.
func (plugin) GetDevicePluginOptions(context.Context, *pluginapi.Empty) (*pluginapi.DevicePluginOptions, error) {
	return &pluginapi.DevicePluginOptions{}, nil
}

// ListAndWatch tells the cards, which never change.
func (one plugin) ListAndWatch(_ *pluginapi.Empty, stream grpc.ServerStreamingServer[pluginapi.ListAndWatchResponse]) error {
	var all []*pluginapi.Device
	for _, uuid := range one.uuids {
		all = append(all, &pluginapi.Device{ID: uuid, Health: pluginapi.Healthy})
	}
	if err := stream.Send(&pluginapi.ListAndWatchResponse{Devices: all}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

// Allocate says what a container gets with the cards that the kubelet picked.
func (one plugin) Allocate(_ context.Context, request *pluginapi.AllocateRequest) (*pluginapi.AllocateResponse, error) {
	answer := &pluginapi.AllocateResponse{}
	for _, container := range request.ContainerRequests {
		given := &pluginapi.ContainerAllocateResponse{
			Envs: map[string]string{"NVIDIA_VISIBLE_DEVICES": strings.Join(container.DevicesIds, ",")},
		}
		for number, uuid := range one.uuids {
			if slices.Contains(container.DevicesIds, uuid) {
				node := fmt.Sprintf("/dev/nvidia%d", number)
				given.Devices = append(given.Devices, &pluginapi.DeviceSpec{ContainerPath: node, HostPath: node, Permissions: "rw"})
			}
		}
		answer.ContainerResponses = append(answer.ContainerResponses, given)
	}
	return answer, nil
}
