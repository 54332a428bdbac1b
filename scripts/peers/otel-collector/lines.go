package main

import (
	"context"
	"os"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

type linesConfig struct {
	Path string `mapstructure:"path"`
}

// lines writes each export as one line. The traces and metrics of a collector may share a file: a line is one write.
type lines struct {
	path    string
	mutex   sync.Mutex
	file    *os.File
	traces  ptrace.JSONMarshaler
	metrics pmetric.JSONMarshaler
}

func newLinesFactory() exporter.Factory {
	return exporter.NewFactory(
		component.MustNewType("lines"),
		func() component.Config { return &linesConfig{} },
		exporter.WithTraces(func(_ context.Context, _ exporter.Settings, config component.Config) (exporter.Traces, error) {
			return &lines{path: config.(*linesConfig).Path}, nil
		}, component.StabilityLevelStable),
		exporter.WithMetrics(func(_ context.Context, _ exporter.Settings, config component.Config) (exporter.Metrics, error) {
			return &lines{path: config.(*linesConfig).Path}, nil
		}, component.StabilityLevelStable),
	)
}

func (l *lines) Start(context.Context, component.Host) (err error) {
	l.file, err = os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return err
}

func (l *lines) Shutdown(context.Context) error {
	return l.file.Close()
}

func (l *lines) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: false}
}

func (l *lines) ConsumeTraces(_ context.Context, traces ptrace.Traces) error {
	return l.write(l.traces.MarshalTraces(traces))
}

func (l *lines) ConsumeMetrics(_ context.Context, metrics pmetric.Metrics) error {
	return l.write(l.metrics.MarshalMetrics(metrics))
}

func (l *lines) write(json []byte, err error) error {
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_, err = l.file.Write(append(json, '\n'))
	return err
}
