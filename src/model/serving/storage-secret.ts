/**
 * Annotations that name the Secret with the credentials of a model's storage. KServe reads the one that its ConfigMap names
 * (`credentials.storageSecretNameAnnotation`): its release manifests name the first, its Helm charts the second. An installation ignores the
 * other one, so both are written.
 * @see https://github.com/kserve/kserve/blob/v0.20.0/config/configmap/inferenceservice.yaml
 */
export const STORAGE_SECRET_ANNOTATIONS: readonly string[] = ['serving.kserve.io/storageSecretName', 'serving.kserve.io/secretName'];
