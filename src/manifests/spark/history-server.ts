/** The history server: a Deployment that shows the event logs of a folder, and a Service in front of it. */
import { eventLogMounts, folderUri, type SparkMounts } from './session';
import { plainObject } from '../plain-object';
import { canonicalPodSpec } from '../pod/typed-pod';
import { HISTORY_PORT } from '../../model/spark/settings';
import type { Fields, Settings, SparkHistoryServerSpec } from '../../model/spark/spec';

/** Memory in addition to the JVM's heap, MiB. */
const OUTSIDE_HEAP_MIB = 256;

/** How the server is started, in Spark's own images and those based on them. */
const COMMAND = ['/opt/spark/bin/spark-class', 'org.apache.spark.deploy.history.HistoryServer'];

/** Folder for temporary files. */
const TMP = '/tmp';

/** Setting with the folder for what the server has already read; without it that is kept in memory. */
const STORE_SETTING = 'spark.history.store.path';

/** User of Spark's own images. */
const SPARK_USER = 185;

/** A rendering without what cdk8s adds. */
type Spec = { readonly spec: Fields };

/** `spec` of the Deployment. */
export function constructHistoryDeployment(spec: SparkHistoryServerSpec, selector: Settings): Spec {
  const { volumes, volumeMounts } = withWritableFolders(eventLogMounts(spec.eventLog), spec);
  const probe = { httpGet: { path: '/', port: 'http' } };
  return plainObject({
    spec: {
      // One server: each replays all logs.
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: selector },
        spec: canonicalPodSpec({
          serviceAccountName: spec.serviceAccountName,
          automountServiceAccountToken: false,
          imagePullSecrets: spec.imagePullSecrets?.length ? spec.imagePullSecrets.map((name) => ({ name })) : undefined,
          securityContext: { runAsNonRoot: true, runAsUser: SPARK_USER, fsGroup: SPARK_USER, seccompProfile: { type: 'RuntimeDefault' } },
          nodeSelector: spec.nodeSelector,
          tolerations: spec.tolerations?.length ? spec.tolerations : undefined,
          containers: [{
            name: 'history-server',
            image: spec.image,
            command: COMMAND,
            env: [
              { name: 'SPARK_HISTORY_OPTS', value: historyOptions(spec) },
              { name: 'SPARK_DAEMON_MEMORY', value: `${spec.memoryMib - OUTSIDE_HEAP_MIB}m` },
              ...spec.env ?? [],
            ],
            ports: [{ name: 'http', containerPort: HISTORY_PORT, protocol: 'TCP' }],
            // Reading many logs for the first time takes minutes, in which nothing is answered.
            startupProbe: { ...probe, periodSeconds: 5, failureThreshold: 60 },
            readinessProbe: { ...probe, periodSeconds: 10 },
            livenessProbe: { ...probe, periodSeconds: 30, failureThreshold: 5 },
            resources: { requests: { cpu: spec.cpu, memory: `${spec.memoryMib}Mi` }, limits: { memory: `${spec.memoryMib}Mi` } },
            securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
            volumeMounts,
          }],
          volumes,
        }),
      },
    },
  });
}

/** The server's own files are read-only, so what it writes gets volumes: temporary files of Java and Hadoop, and its store where that is on disk. */
function withWritableFolders({ volumes, volumeMounts }: SparkMounts, { sparkConf = {} }: SparkHistoryServerSpec): SparkMounts {
  const mounted = volumeMounts.map(({ mountPath }) => String(mountPath));
  const isWritable = (folder: string, others: readonly string[]) => others.some((other) => folder === other || folder.startsWith(`${other}/`));
  const tmp = mounted.includes(TMP) ? [] : [{ name: 'tmp', folder: TMP }];
  const store = sparkConf[STORE_SETTING]?.replace(/^file:(\/\/)?/, '');
  const stores = store === undefined || !store.startsWith('/') || isWritable(store, [TMP, ...mounted]) ? [] : [{ name: 'history-store', folder: store }];
  return {
    volumes: [...volumes, ...[...tmp, ...stores].map(({ name }) => ({ name, emptyDir: {} }))],
    volumeMounts: [...volumeMounts, ...[...tmp, ...stores].map(({ name, folder }) => ({ name, mountPath: folder }))],
  };
}

/** `spec` of the Service. */
export function constructHistoryService(spec: SparkHistoryServerSpec, selector: Settings): Spec {
  return plainObject({
    spec: { type: spec.serviceType, selector, ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }] },
  });
}

/** Settings as options of the JVM, in a fixed order. Those with blanks are in quotes, which the start script reads as a shell does. */
function historyOptions({ eventLog, hadoopConf = {}, sparkConf = {}, keepSeconds }: SparkHistoryServerSpec): string {
  const settings = {
    'spark.history.fs.logDirectory': folderUri(eventLog),
    'spark.history.ui.port': String(HISTORY_PORT),
    ...(keepSeconds !== undefined && { 'spark.history.fs.cleaner.enabled': 'true', 'spark.history.fs.cleaner.maxAge': `${keepSeconds}s` }),
    ...sparkConf,
    ...Object.fromEntries(Object.entries(hadoopConf).map(([name, value]) => [`spark.hadoop.${name}`, value])),
  };
  return Object.entries(settings).map(([name, value]) => quoted(`-D${name}=${value}`)).join(' ');
}

function quoted(option: string): string {
  return /[\s"'\\$`]/.test(option) ? `"${option.replace(/(["\\])/g, '\\$1')}"` : option;
}
