package main

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
)

// fakeKubelet answers List from a JSON file that is read anew for each call, so that a test changes what "runs".
type fakeKubelet struct {
	podresources.UnimplementedPodResourcesListerServer
	file string
}

func (kubelet fakeKubelet) List(context.Context, *podresources.ListPodResourcesRequest) (*podresources.ListPodResourcesResponse, error) {
	text, err := os.ReadFile(kubelet.file)
	if err != nil {
		return nil, err
	}
	answer := &podresources.ListPodResourcesResponse{}
	return answer, json.Unmarshal(text, answer)
}

// newPodResourcesCommand serves the kubelet's PodResources API on a Unix socket: the server half that the agent's own
// client is tested against is the one of the real kubelet.
func newPodResourcesCommand() *cobra.Command {
	var socket, file string
	command := &cobra.Command{
		Use:          "podresources",
		SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			listener, err := net.Listen("unix", socket)
			if err != nil {
				return err
			}
			server := grpc.NewServer()
			podresources.RegisterPodResourcesListerServer(server, fakeKubelet{file: file})
			stop := make(chan os.Signal, 1)
			signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
			go func() {
				<-stop
				server.Stop()
			}()
			return server.Serve(listener)
		},
	}
	command.Flags().StringVar(&socket, "socket", "", "path of the Unix socket")
	command.Flags().StringVar(&file, "file", "", "JSON of a ListPodResourcesResponse")
	_ = command.MarkFlagRequired("socket")
	_ = command.MarkFlagRequired("file")
	return command
}
