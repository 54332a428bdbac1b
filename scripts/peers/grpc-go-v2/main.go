// Command grpc-go-v2 is a grpc-go from the days of xDS v2, as a client, for the end-to-end tests. It speaks v2 when its
// bootstrap, which comes from the environment, does not say that the server can do more. What it is told and what it
// says is written down in scripts/peers/protocol.ts.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	_ "google.golang.org/grpc/xds"
)

type command struct {
	ID         int               `json:"id"`
	Calls      int               `json:"calls"`
	Headers    map[string]string `json:"headers"`
	DeadlineMs int               `json:"deadlineMs"`
}

type answer struct {
	Code    uint32 `json:"code"`
	Echo    string `json:"echo"`
	Message string `json:"message"`
}

type report struct {
	ID      int      `json:"id"`
	Answers []answer `json:"answers"`
}

func main() {
	if len(os.Args) != 3 || os.Args[1] != "client" {
		fail(errors.New("usage: grpc-go-v2 client TARGET"))
	}
	if err := client(os.Args[2]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// client makes the calls it is told to, over one channel, until its input ends.
func client(target string) error {
	channel, err := grpc.Dial(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer channel.Close()
	health := grpc_health_v1.NewHealthClient(channel)
	commands := json.NewDecoder(os.Stdin)
	for {
		var told command
		if err := commands.Decode(&told); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answers := make([]answer, told.Calls)
		for i := range answers {
			answers[i] = call(health, told)
		}
		if err := json.NewEncoder(os.Stdout).Encode(report{ID: told.ID, Answers: answers}); err != nil {
			return err
		}
	}
}

func call(health grpc_health_v1.HealthClient, told command) answer {
	deadline := time.Duration(told.DeadlineMs) * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	ctx = metadata.NewOutgoingContext(ctx, metadata.New(told.Headers))
	var header metadata.MD
	_, err := health.Check(ctx, &grpc_health_v1.HealthCheckRequest{}, grpc.Header(&header))
	end := status.Convert(err)
	made := answer{Code: uint32(end.Code()), Message: end.Message()}
	if names := header.Get("x-echo"); len(names) > 0 {
		made.Echo = names[0]
	}
	return made
}
