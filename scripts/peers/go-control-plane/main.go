// A go-control-plane server with the resources of a recording: `go-control-plane FILE`. It prints its port, reads the name of
// an edit per line, sets the snapshot after that edit for all proxies, and ends with its input.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"

	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/server/v3"
	"google.golang.org/grpc"
)

// recording has the responses of another server to one proxy, and those after each edit.
type recording struct {
	Mode  string                `json:"mode"`
	First []response            `json:"first"`
	Edits map[string][]response `json:"edits"`
}

// response is a DiscoveryResponse, or a DeltaDiscoveryResponse if the mode is "delta".
type response struct {
	TypeURL string `json:"typeUrl"`
	Bytes   []byte `json:"bytes"`
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var recorded recording
	if err := json.Unmarshal(text, &recorded); err != nil {
		return err
	}
	served := newMesh(recorded.Mode == "delta")
	if err := served.apply(recorded.First); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	transport := grpc.NewServer(grpc.MaxConcurrentStreams(1_000_000))
	xds := server.NewServer(context.Background(), served.cache, nil)
	discovery.RegisterAggregatedDiscoveryServiceServer(transport, xds)
	ended := make(chan error, 1)
	go func() { ended <- transport.Serve(listener) }()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if err := served.apply(recorded.Edits[lines.Text()]); err != nil {
			return err
		}
	}
	transport.Stop()
	return <-ended
}
