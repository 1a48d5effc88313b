/** Which exporter of GPU metrics an app's platform installs, so that monitors find that one without being told. */
import type { Construct } from 'constructs';
import type { GpuExporterName } from '../../model/monitoring/gpu/exporters';

const EXPORTERS = new WeakMap<object, GpuExporterName>();

/** Says what measures the GPUs of the app's cluster. */
export function recordGpuExporter(scope: Construct, exporter: GpuExporterName): void {
  EXPORTERS.set(scope.node.root, exporter);
}

/** What measures the GPUs of the app's cluster, if a platform has said it. */
export function gpuExporterOf(scope: Construct): GpuExporterName | undefined {
  return EXPORTERS.get(scope.node.root);
}
