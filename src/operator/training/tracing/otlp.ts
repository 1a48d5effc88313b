/**
 * Sends spans to an OpenTelemetry collector by OTLP over HTTP, as JSON. OpenTelemetry's own packages do it, and read their usual variables:
 * `OTEL_EXPORTER_OTLP_ENDPOINT` and its kin for headers and time-outs, `OTEL_TRACES_SAMPLER`, `OTEL_RESOURCE_ATTRIBUTES`. They are 57 KiB of the
 * bundle, 16 KiB of it compressed, and 3 MiB of memory; this file is only imported where traces are asked for.
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
import { diag, DiagLogLevel, ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type IdGenerator } from '@opentelemetry/sdk-trace-base';
import type { SpanRecord, SpanSink } from './job-spans';
import type { Logger } from '../../runtime/process/logger';

/** How long an orderly end waits for the last spans to be sent, milliseconds. */
const CLOSE_TIMEOUT_MS = 5_000;

/** A sink that has to be closed. */
export interface OtlpSpans extends SpanSink {
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}

/** The ids are given by whoever emits a span. */
class GivenIds implements IdGenerator {
  public next: Pick<SpanRecord, 'traceId' | 'spanId'> = { traceId: '', spanId: '' };

  public generateTraceId(): string {
    return this.next.traceId;
  }

  public generateSpanId(): string {
    return this.next.spanId;
  }
}

/** Starts to send. @param instance name of this process */
export function startOtlp(instance: string, logger: Logger): OtlpSpans {
  const warn = (message: string, ...details: unknown[]): void => logger.warn('traces', { message, details: details.map(String).slice(0, 3) });
  diag.setLogger({ error: warn, warn, info: () => undefined, debug: () => undefined, verbose: () => undefined }, DiagLogLevel.WARN);
  const ids = new GivenIds();
  const provider = new BasicTracerProvider({
    // What the environment says about the resource goes before ours.
    resource: resourceFromAttributes({ 'service.name': 'trainyard-operator', 'service.instance.id': instance })
      .merge(detectResources({ detectors: [envDetector] })),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('trainyard');
  return {
    emit: (record) => {
      const { traceId, parentId, name, start, end, attributes, error } = record;
      ids.next = record;
      const context = parentId === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
      const span = tracer.startSpan(name, { startTime: new Date(start), attributes }, context);
      if (error !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      }
      span.end(new Date(end));
    },
    close: async () => {
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
      await Promise.race([provider.shutdown().catch((failure: unknown) => warn('the last spans could not be sent', failure)), timeout]);
    },
  };
}
