import type { TestObject } from './cluster';
import type { TestApi } from './test-api';
import { progressAudience, type JobRef } from '../../../src/model/progress/contract';

/** A token for reports as the kubelet gives one to a pod: it names the pod. */
export async function podToken(api: TestApi, job: JobRef, pod: TestObject): Promise<string> {
  const { name, uid } = pod.metadata;
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [progressAudience(job)], expirationSeconds: 3600, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } },
  };
  const account = (pod.spec.serviceAccountName as string | undefined) ?? 'default';
  return (await api.create('serviceaccounts', job.namespace, request, account, 'token')).status.token as string;
}
