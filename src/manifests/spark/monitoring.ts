/**
 * Metrics of Spark for Prometheus. Spark serves its own on the driver's UI. The JMX exporter runs in each JVM. The operator would mount its ConfigMap
 * only by its webhook, so both files of the exporter are named: then the operator creates none, the ConfigMap is ours, and the pod templates mount
 * it.
 */
import type { SparkMounts } from './session';
import { UI_PORT } from '../../model/spark/settings';
import type { Fields, Settings, SparkMonitoringSpec } from '../../model/spark/spec';

/** Where the files of the exporter are. */
const METRICS_PATH = '/etc/spark-metrics';
const PROPERTIES_KEY = 'metrics.properties';
const EXPORTER_KEY = 'jmx-exporter.yaml';

/** Spark's metrics by JMX, with those of the JVM. */
const DEFAULT_PROPERTIES = `*.sink.jmx.class=org.apache.spark.metrics.sink.JmxSink
driver.source.jvm.class=org.apache.spark.metrics.source.JvmSource
executor.source.jvm.class=org.apache.spark.metrics.source.JvmSource
`;

/** Names without namespace, application and executor number, which are labels. */
const DEFAULT_EXPORTER = `lowercaseOutputName: true
lowercaseOutputLabelNames: true
rules:
- pattern: 'metrics<name=([^.>]+)\\.([^.>]+)\\.driver\\.([^>]+?), type=\\w+><>(Value|Count)'
  name: spark_driver_$3_$4
  labels:
    app_namespace: "$1"
    app_name: "$2"
- pattern: 'metrics<name=([^.>]+)\\.([^.>]+)\\.(\\d+)\\.([^>]+?), type=\\w+><>(Value|Count)'
  name: spark_executor_$4_$5
  labels:
    app_namespace: "$1"
    app_name: "$2"
    executor_id: "$3"
`;

/** What the author sets instead of the defaults. */
export interface ExporterFiles {
  readonly properties?: string;
  readonly exporter?: string;
}

/** ConfigMap of the exporter. */
export function exporterData({ properties = DEFAULT_PROPERTIES, exporter = DEFAULT_EXPORTER }: ExporterFiles): Settings {
  return { [PROPERTIES_KEY]: properties, [EXPORTER_KEY]: exporter };
}

/** `monitoring` of a SparkApplication; Spark's own pages need no field. */
export function monitoringFields(monitoring: SparkMonitoringSpec | undefined): Fields | undefined {
  return monitoring?.kind !== 'jmx' ? undefined : {
    exposeDriverMetrics: monitoring.driver,
    exposeExecutorMetrics: monitoring.executors,
    metricsPropertiesFile: `${METRICS_PATH}/${PROPERTIES_KEY}`,
    prometheus: { jmxExporterJar: monitoring.jar, port: monitoring.port, portName: monitoring.portName, configFile: `${METRICS_PATH}/${EXPORTER_KEY}` },
  };
}

/** Mounts of the exporter's files. Both pods read the properties, even if only one serves metrics. */
export function monitoringMounts(monitoring: SparkMonitoringSpec | undefined): SparkMounts {
  return monitoring?.kind !== 'jmx' ? { volumes: [], volumeMounts: [] } : {
    volumes: [{ name: 'spark-metrics', configMap: { name: monitoring.configMapName } }],
    volumeMounts: [{ name: 'spark-metrics', mountPath: METRICS_PATH, readOnly: true }],
  };
}

/** Settings of Spark's own pages: the driver's and the executors' metrics on the UI's port. */
export function servletSettings(): Settings {
  return {
    'spark.ui.prometheus.enabled': 'true',
    'spark.metrics.conf.*.sink.prometheusServlet.class': 'org.apache.spark.metrics.sink.PrometheusServlet',
    'spark.metrics.conf.*.sink.prometheusServlet.path': '/metrics/prometheus',
  };
}

/** Annotations by which a Prometheus without an operator finds the driver's page of executors' metrics. */
export function servletAnnotations(): Settings {
  return { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(UI_PORT), 'prometheus.io/path': '/metrics/executors/prometheus' };
}
