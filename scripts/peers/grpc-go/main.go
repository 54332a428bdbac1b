// Command grpc-go is grpc-go as an xDS client and an xDS server, for the end-to-end tests. What both say and
// understand is written down in scripts/peers/protocol.ts; the bootstrap comes from the environment.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "client":
		return client(args[1])
	case len(args) == 3 && args[0] == "server":
		return server(args[1], args[2])
	default:
		return fmt.Errorf("usage: grpc-go client TARGET | server PORT NAME")
	}
}

// say prints one line of JSON.
func say(line any) error {
	return json.NewEncoder(os.Stdout).Encode(line)
}
