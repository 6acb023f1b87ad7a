package tracing

import (
	"context"
	"fmt"
	"os"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// NewProvider returns a provider that exports spans over OTLP/HTTP, configured by the standard
// environment variables. Without OTEL_EXPORTER_OTLP_ENDPOINT (or its _TRACES_ form), or with
// OTEL_SDK_DISABLED=true, the provider is nil. The shutdown function is never nil; it sends the spans
// that are left.
func NewProvider(ctx context.Context, service, version string) (
	provider trace.TracerProvider, shutdown func(context.Context) error, err error,
) {
	nothing := func(context.Context) error { return nil }
	if !configured() {
		return nil, nothing, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, nothing, fmt.Errorf("trace exporter: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithAttributes(
			attribute.String("service.name", service),
			attribute.String("service.version", version),
		),
		resource.WithFromEnv(), // last: OTEL_SERVICE_NAME has the final word
	)
	if err != nil {
		return nil, nothing, fmt.Errorf("trace resource: %w", err)
	}
	p := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter),
		sdktrace.WithResource(about),
		sdktrace.WithSampler(sdktrace.ParentBased(noLoneCalls{})),
	)
	return p, p.Shutdown, nil
}

func configured() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return false
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// noLoneCalls samples every root span except those of outgoing calls. Wrap has already chosen which
// requests to trace; a database query for a request that was not chosen would otherwise start a trace
// of its own.
type noLoneCalls struct{}

// ShouldSample implements sdktrace.Sampler.
func (noLoneCalls) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	decision := sdktrace.RecordAndSample
	if p.Kind == trace.SpanKindClient {
		decision = sdktrace.Drop
	}
	return sdktrace.SamplingResult{
		Decision:   decision,
		Tracestate: trace.SpanContextFromContext(p.ParentContext).TraceState(),
	}
}

// Description implements sdktrace.Sampler.
func (noLoneCalls) Description() string { return "NoLoneCalls" }
