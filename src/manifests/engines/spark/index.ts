/**
 * Spark operator v2.5: a SparkApplication with an executor for each replica, and a driver that starts the job's unchanged programs there.
 * @see https://www.kubeflow.org/docs/components/spark-operator/
 */
import { sparkCapabilities, type SparkEngineSettings } from './capabilities';
import { renderSparkJob, sparkEnvironments } from './render';
import { NAME_MAX_LENGTH, sparkViolations } from './validation';
import type { EngineDefinition } from '../engine';
import { SPARK_APPLICATION } from '../../../model/kinds/spark';
import { identityOf } from '../../../model/kinds/workload-kind';

export type { SparkDriverSettings, SparkEngineSettings } from './capabilities';

export function sparkEngine(settings: SparkEngineSettings = {}): EngineDefinition {
  const createsAccount = settings.driver?.serviceAccountName === undefined;
  return {
    name: 'spark',
    title: 'Spark',
    upstream: 'Spark operator v2.5 (sparkoperator.k8s.io/v1beta2), Spark 3 and 4',
    capabilities: sparkCapabilities(settings),
    kindOf: () => identityOf(SPARK_APPLICATION),
    generatedNameMaxLength: () => NAME_MAX_LENGTH,
    validate: (name, spec) => sparkViolations(name, spec, settings),
    rendersMore: true,
    ...(createsAccount && {
      needsNamespace: 'is required: the RoleBinding of the driver\'s service account names it. Set it on the job or its chart, or name an account: '
        + 'Engine.spark({ driver: { serviceAccountName } }).',
      withDriverAccount: (serviceAccountName: string) => sparkEngine({ ...settings, driver: { ...settings.driver, serviceAccountName } }),
    }),
    render: (job) => renderSparkJob(job, settings),
    environments: (job) => sparkEnvironments(job, settings),
  };
}
