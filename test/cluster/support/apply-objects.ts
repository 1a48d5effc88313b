/** Objects of a program, put into the control plane as `kubectl apply` would, and requests in the name of somebody. */
import https from 'node:https';
import { apiRequest } from '../../../src/local/control-plane';
import { clusterAccess, mustRequest, type TestObject } from './cluster';

/** Collection of an object's kind: plural names of Kubernetes are regular. */
export function collectionOf({ apiVersion, kind, metadata }: TestObject, plurals: { readonly [kind: string]: string } = {}): string {
  const lower = kind!.toLowerCase();
  const plural = plurals[kind!] ?? (lower.endsWith('y') ? `${lower.slice(0, -1)}ies` : /(s|ss|x|ch)$/.test(lower) ? `${lower}es` : `${lower}s`);
  const place = metadata.namespace === undefined ? '' : `namespaces/${metadata.namespace}/`;
  return `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/${place}${plural}`;
}

/** Creates objects, with strict checks of unknown fields, in their order. @returns the warnings. @throws Error when one is refused */
export async function applyObjects(objects: readonly TestObject[], plurals?: { readonly [kind: string]: string }): Promise<string[]> {
  const warnings: string[] = [];
  for (const object of objects) {
    warnings.push(...(await mustRequest('POST', `${collectionOf(object, plurals)}?fieldValidation=Strict`, object)).warnings);
  }
  return warnings;
}

/** Deletes objects that {@link applyObjects} made; what is gone already is fine. */
export async function removeObjects(objects: readonly TestObject[], plurals?: { readonly [kind: string]: string }): Promise<void> {
  for (const object of [...objects].reverse()) {
    await apiRequest(clusterAccess(), 'DELETE', `${collectionOf(object, plurals)}/${object.metadata.name}`);
  }
}

/** Who somebody is. */
export interface Person {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** What the API server said. */
export interface Answer {
  readonly status: number;
  readonly message: string;
}

/** A request in the name of somebody: the admin impersonates him, so that he has the rights of his user and his groups, and no others. */
export async function requestAs(person: Person, method: string, path: string, body?: object): Promise<Answer> {
  const { status, object } = await answerTo(person, method, path, body);
  return { status, message: (object as { readonly message?: string }).message ?? '' };
}

/** One thing that somebody may do. */
export interface Right {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Everything that somebody may do in a namespace, as the API server sums it up for him. */
export async function rightsOf(person: Person, namespace: string): Promise<readonly Right[]> {
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } };
  const { status, object } = await answerTo(person, 'POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', review);
  const answer = object as { readonly status: { readonly resourceRules: readonly Right[]; readonly incomplete: boolean } };
  const { resourceRules, incomplete } = answer.status;
  if (status !== 201 || incomplete) {
    throw new Error(`The API server does not say what ${person.user} may do in ${namespace}: ${status}`);
  }
  return resourceRules;
}

async function answerTo(person: Person, method: string, path: string, body?: object): Promise<{ readonly status: number; readonly object: object }> {
  const access = clusterAccess();
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = https.request(`${access.url}${path}`, {
      method,
      ca: access.ca,
      headers: {
        'authorization': `Bearer ${access.token}`,
        'impersonate-user': person.user,
        ...((person.groups ?? []).length > 0 && { 'impersonate-group': [...person.groups!] }),
        ...(payload !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
      },
    }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => { text += chunk; });
      response.once('end', () => {
        resolve({ status: response.statusCode!, object: JSON.parse(text) as object });
      });
    });
    request.setTimeout(30_000, () => request.destroy(new Error(`${method} ${path} as ${person.user}: no answer within the time-out`)));
    request.once('error', reject);
    request.end(payload);
  });
}
