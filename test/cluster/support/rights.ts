import { eventually, mustRequest, type TestObject } from './cluster';

/** What a user wants to do. `group` is the core group unless given. */
export interface AccessQuestion {
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly group?: string;
}

/** Whether the API server lets the user do it now. */
export async function mayNow({ user, ...resourceAttributes }: AccessQuestion): Promise<boolean> {
  const { body } = await mustRequest<TestObject>('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: { user, resourceAttributes },
  });
  return body.status.allowed as boolean;
}

/** Waits until a right that was just granted is in force: the API server reads roles and bindings from caches, which lag behind a write. */
export async function untilGranted(question: AccessQuestion): Promise<void> {
  await eventually(`${question.user} to be allowed to ${question.verb} ${question.resource}`, () => mayNow(question));
}
