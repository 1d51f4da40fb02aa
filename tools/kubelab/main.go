// Kubelab is a Kubernetes control plane in one file, for tests: etcd, kube-apiserver, kube-scheduler and
// kube-controller-manager (and kubectl), each a subcommand and each to be run as a process of its own, because every
// upstream command installs the process-wide signal handler and changes process-wide feature gates.
//
// There is no kubelet: nodes and the life of pods are emulated by `inlay emulate`. `podresources` serves the one
// socket of a kubelet that inlay reads.
package main

import (
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

var commands = map[string]func() *cobra.Command{
	"etcd":               newEtcdCommand,
	"apiserver":          apiserver.NewAPIServerCommand,
	"scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"controller-manager": controllermanager.NewControllerManagerCommand,
	"kubectl":            kubectl.NewDefaultKubectlCommand,
	"podresources":       newPodResourcesCommand,
}

func main() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	build, known := commands[name]
	if !known {
		fmt.Fprintf(os.Stderr, "kubelab: expected one of %s, received %q\n", strings.Join(names(), ", "), name)
		os.Exit(2)
	}
	if os.Getenv("KUBELAB_END_WITH_STDIN") != "" {
		go endWithStdin()
	}
	// kubectl reads os.Args itself to find plugins, so the subcommand's name must be gone from there.
	os.Args = append([]string{name}, os.Args[2:]...)
	command := build()
	command.SetArgs(os.Args[1:])
	os.Exit(cli.Run(command))
}

// endWithStdin stops this process when its standard input closes, so that it never outlives the test that started it,
// not even one that was killed.
func endWithStdin() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
}

func names() []string {
	list := make([]string, 0, len(commands))
	for name := range commands {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}
