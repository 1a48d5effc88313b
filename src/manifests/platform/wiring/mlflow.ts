/** MLflow's artifacts in the platform's store. @see https://github.com/community-charts/helm-charts/blob/main/charts/mlflow/values.yaml */
import type { ComponentWiring } from './wiring';
import type { PlatformSpec } from '../../../model/platform/spec';

/** Values for the store. What Pipelines brings is for Pipelines alone: MLflow then keeps files on its own disk. */
export function wireMlflow({ artifactStore }: PlatformSpec): ComponentWiring {
  if (artifactStore.kind === 'in-cluster') {
    return {};
  }
  const { kind, bucket, prefix } = artifactStore;
  const path = [prefix, 'mlflow'].filter((each) => each !== undefined).join('/');
  if (kind === 'gcs') {
    return { mlflow: { values: { artifactRoot: { gcs: { enabled: true, bucket, path } } } } };
  }
  const endpoint = kind === 'minio' ? { MLFLOW_S3_ENDPOINT_URL: `${artifactStore.tls ? 'https' : 'http'}://${artifactStore.endpoint}` } : { AWS_DEFAULT_REGION: artifactStore.region };
  return {
    mlflow: {
      values: {
        artifactRoot: { s3: { enabled: true, bucket, path } },
        extraEnvVars: endpoint,
        ...(artifactStore.secretName !== undefined && { extraSecretNamesForEnvFrom: [artifactStore.secretName] }),
      },
    },
  };
}
