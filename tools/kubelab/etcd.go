package main

import (
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
)

// newEtcdCommand runs one etcd member that forgets durability: a test that loses power has nothing to lose.
func newEtcdCommand() *cobra.Command {
	var dir, client, peer string
	command := &cobra.Command{
		Use:          "etcd",
		SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			config, err := etcdConfig(dir, client, peer)
			if err != nil {
				return err
			}
			return runEtcd(config)
		},
	}
	command.Flags().StringVar(&dir, "dir", "", "data folder")
	command.Flags().StringVar(&client, "client", "127.0.0.1:2379", "host:port for clients")
	command.Flags().StringVar(&peer, "peer", "127.0.0.1:2380", "host:port for peers")
	_ = command.MarkFlagRequired("dir")
	return command
}

func etcdConfig(dir, client, peer string) (*embed.Config, error) {
	clientURL, err := url.Parse("http://" + client)
	if err != nil {
		return nil, err
	}
	peerURL, err := url.Parse("http://" + peer)
	if err != nil {
		return nil, err
	}
	config := embed.NewConfig()
	config.Dir = dir
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*clientURL}, []url.URL{*clientURL}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{*peerURL}, []url.URL{*peerURL}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.UnsafeNoFsync = true
	config.LogLevel = "error"
	return config, nil
}

func runEtcd(config *embed.Config) error {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer etcd.Close()
	select {
	case <-etcd.Server.ReadyNotify():
		fmt.Println("etcd ready")
	case <-stop:
		return nil
	case err := <-etcd.Err():
		return err
	}
	select {
	case <-stop:
		return nil
	case err := <-etcd.Err():
		return err
	}
}
