package main

import (
	"context"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/xds"
)

type mode struct {
	Mode  string `json:"mode"`
	Error string `json:"error"`
}

// server answers Health/Check once the control plane gave it a listener for its address, and says when that is.
func server(port, name string) error {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return err
	}
	served, err := xds.NewGRPCServer(
		grpc.Creds(insecure.NewCredentials()),
		grpc.UnaryInterceptor(naming(name)),
		xds.ServingModeCallback(func(_ net.Addr, change xds.ServingModeChangeArgs) {
			now := mode{Mode: change.Mode.String()}
			if change.Err != nil {
				now.Error = change.Err.Error()
			}
			_ = say(now)
		}),
	)
	if err != nil {
		return err
	}
	grpc_health_v1.RegisterHealthServer(served, health.NewServer())
	return served.Serve(listener)
}

// naming adds the header that tells who answered.
func naming(name string) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		if err := grpc.SetHeader(ctx, metadata.Pairs("x-echo", name)); err != nil {
			return nil, err
		}
		return handle(ctx, request)
	}
}
