import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import { clusterAccess, mustRequest, type TestObject } from './cluster';
import { requestAgainWhile } from './request-again';

/** One complaint of the API server, with the field that it names. */
export interface Complaint {
  readonly field: string;
  readonly message: string;
}

/** What the API server said to an object. */
export interface Verdict {
  readonly status: number;
  readonly object: TestObject;
  readonly message: string;
  readonly complaints: readonly Complaint[];
  readonly warnings: readonly string[];
}

/**
 * Who runs the jobs of these tests: nobody. Operators of other tests leave them alone.
 */
export const NOBODY = 'test.trainyard.dev/nobody';

const QUERY = 'fieldValidation=Strict';

/** Path of the jobs of a namespace. */
export function jobsPath(namespace: string): string {
  return `/apis/${GROUP_VERSION}/namespaces/${namespace}/mltrainingjobs`;
}

/** A job's manifest. */
export function jobManifest(name: string, spec: unknown): object {
  return { apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name }, spec };
}

/**
 * Asks the API server about an object, with strict checks of unknown fields, and keeps nothing. Where another test has made an object of the name,
 * which the API server looks for last, the object has passed all that is asked here.
 */
export async function judge(collection: string, manifest: object): Promise<Verdict> {
  const verdict = await request('POST', `${collection}?${QUERY}&dryRun=All`, manifest);
  const isTaken = verdict.status === 409 && (verdict.object as { readonly reason?: string }).reason === 'AlreadyExists';
  return isTaken ? { ...verdict, status: 201, message: '', object: manifest as TestObject } : verdict;
}

/**
 * What the API server says against objects, warnings too, each behind `KIND NAME: `; nothing is kept.
 * @param collectionOf path of the objects of its kind
 */
export async function objectionsTo<T extends TestObject>(
  objects: readonly T[], collectionOf: (object: T) => string | Promise<string>,
): Promise<string[]> {
  const told: string[] = [];
  for (const object of objects) {
    const { status, message, warnings } = await judge(await collectionOf(object), object);
    told.push(...[...(status === 201 ? [] : [message]), ...warnings].map((text) => `${object.kind} ${object.metadata.name}: ${text}`));
  }
  return told;
}

/** Creates an object, with strict checks of unknown fields. @throws Error when it is refused */
export async function create(collection: string, manifest: object): Promise<TestObject> {
  return (await mustRequest('POST', `${collection}?${QUERY}`, manifest)).body;
}

/** Asks the API server about a change to an object that exists, and changes nothing. */
export async function judgeChange(path: string, patch: object): Promise<Verdict> {
  return request('PATCH', `${path}?${QUERY}&dryRun=All`, patch, 'application/merge-patch+json');
}

async function request(method: string, path: string, body: object, contentType?: string): Promise<Verdict> {
  const answer = await requestAgainWhile([503], clusterAccess(), method, path, { body, contentType });
  const { details } = answer.body as { details?: { causes?: Complaint[] } };
  return {
    status: answer.status,
    object: answer.body,
    message: answer.status < 300 ? '' : String(answer.body.message),
    complaints: (details?.causes ?? []).map(({ field, message }) => ({ field, message })),
    warnings: answer.warnings,
  };
}
