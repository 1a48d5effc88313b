/**
 * SparkConnect of the Spark operator: a server that is the driver, and executors. The operator creates the server's pod from its template as it is,
 * without cores or memory, so the template requests them.
 */
import { servletSettings } from './monitoring';
import { constructSparkTemplate } from './pod-template';
import { constructAllocation, containerMib, eventLogMounts, sparkMemory, sparkSettings } from './session';
import { plainObject } from '../plain-object';
import { constructResources } from '../pod/resources';
import { CONNECT_PORT, SPARK_CONTAINERS } from '../../model/spark/settings';
import type { Fields, Settings, SparkConnectSpec, SparkPodSpec } from '../../model/spark/spec';

/** Service in front of the server. */
export function connectServiceName(name: string): string {
  return `${name}-server`;
}

/** `spec` of a SparkConnect. */
export function constructSparkConnectSpec(spec: SparkConnectSpec): Fields {
  const { server, executor } = spec;
  const isPublic = (spec.serviceType ?? spec.serviceAnnotations) !== undefined;
  return plainObject({
    sparkVersion: spec.sparkVersion,
    image: spec.image,
    sparkConf: sparkSettings(spec, {
      ...executorSettings(executor), ...imagePullSecrets(spec.imagePullSecrets), ...(spec.showsMetrics && servletSettings()),
    }),
    hadoopConf: spec.hadoopConf,
    dynamicAllocation: constructAllocation(spec),
    server: {
      cores: server.cores ?? 1,
      memory: sparkMemory(server.memoryMib),
      service: isPublic ? {
        metadata: { annotations: spec.serviceAnnotations },
        spec: {
          type: spec.serviceType,
          ports: [
            { name: 'driver-rpc', port: 7078 }, { name: 'blockmanager', port: 7079 }, { name: 'web-ui', port: 4040 },
            { name: 'spark-connect-server', port: CONNECT_PORT },
          ],
        },
      } : undefined,
      template: withImage(constructSparkTemplate(server, SPARK_CONTAINERS.driver, {
        serviceAccountName: spec.serviceAccountName,
        imagePullSecrets: spec.imagePullSecrets,
        resources: serverResources(server),
        token: true,
        ...eventLogMounts(spec.eventLog),
      }), SPARK_CONTAINERS.driver, server.image),
    },
    executor: {
      instances: executor.instances ?? (spec.dynamicAllocation === undefined ? 1 : undefined),
      cores: executor.cores ?? 1,
      memory: sparkMemory(executor.memoryMib),
      template: withImage(
        constructSparkTemplate(executor, SPARK_CONTAINERS.executor, { token: executor.serviceAccountName !== undefined }),
        SPARK_CONTAINERS.executor, executor.image,
      ),
    },
  });
}

/** The operator reads an image of its own from the template. */
function withImage(template: Fields, container: string, image: string | undefined): Fields {
  if (image === undefined) {
    return template;
  }
  const spec = template.spec as { readonly containers: readonly { readonly name: string }[] };
  return { ...template, spec: { ...spec, containers: spec.containers.map((one) => (one.name === container ? { ...one, image } : one)) } };
}

/** What the kind has no fields for. */
function executorSettings({ coreRequest, coreLimit, memoryOverheadMib, javaOptions, serviceAccountName }: SparkConnectSpec['executor']): Settings {
  return {
    ...(coreRequest !== undefined && { 'spark.kubernetes.executor.request.cores': coreRequest }),
    ...(coreLimit !== undefined && { 'spark.kubernetes.executor.limit.cores': coreLimit }),
    ...(memoryOverheadMib !== undefined && { 'spark.executor.memoryOverhead': `${memoryOverheadMib}m` }),
    ...(javaOptions !== undefined && { 'spark.executor.extraJavaOptions': javaOptions }),
    ...(serviceAccountName !== undefined && { 'spark.kubernetes.authenticate.executor.serviceAccountName': serviceAccountName }),
  };
}

function imagePullSecrets(names: readonly string[] = []): Settings {
  return names.length === 0 ? {} : { 'spark.kubernetes.container.image.pullSecrets': names.join(',') };
}

function serverResources(server: SparkPodSpec): { readonly requests: Settings; readonly limits: Settings } {
  const memory = `${containerMib(server, true)}Mi`;
  const { limits = {} } = constructResources(server.devices ?? {}) ?? {};
  return {
    requests: { cpu: server.coreRequest ?? String(server.cores ?? 1), memory },
    limits: { ...(server.coreLimit !== undefined && { cpu: server.coreLimit }), memory, ...limits },
  };
}
