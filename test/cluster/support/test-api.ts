import crypto from 'node:crypto';
import { apiRequest, type ApiAccess } from '../../../src/local/control-plane';
import { GROUP_VERSION } from '../../../src/model/labels';
import { eventually, type TestObject } from './cluster';
import { requestAgainWhile } from './request-again';

/** Resources that tests work with, and where the API server serves them. */
const RESOURCES = {
  'configmaps': '/api/v1',
  'events': '/api/v1',
  'namespaces': '/api/v1',
  'nodes': '/api/v1',
  'pods': '/api/v1',
  'resourcequotas': '/api/v1',
  'secrets': '/api/v1',
  'serviceaccounts': '/api/v1',
  'services': '/api/v1',
  'leases': '/apis/coordination.k8s.io/v1',
  'flowschemas': '/apis/flowcontrol.apiserver.k8s.io/v1',
  'prioritylevelconfigurations': '/apis/flowcontrol.apiserver.k8s.io/v1',
  'networkpolicies': '/apis/networking.k8s.io/v1',
  'mltrainingjobs': `/apis/${GROUP_VERSION}`,
  'clusterroles': '/apis/rbac.authorization.k8s.io/v1',
  'clusterrolebindings': '/apis/rbac.authorization.k8s.io/v1',
  'roles': '/apis/rbac.authorization.k8s.io/v1',
  'rolebindings': '/apis/rbac.authorization.k8s.io/v1',
  'customresourcedefinitions': '/apis/apiextensions.k8s.io/v1',
  'validatingadmissionpolicies': '/apis/admissionregistration.k8s.io/v1',
  'validatingadmissionpolicybindings': '/apis/admissionregistration.k8s.io/v1',
} as const;

/** One of {@link RESOURCES}. */
export type ResourceName = keyof typeof RESOURCES;

/** What is read of a CustomResourceDefinition. */
interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

/** What is read of an APIGroupDiscoveryList. */
interface Discovery {
  readonly items?: readonly {
    readonly metadata: { readonly name: string };
    readonly versions: readonly { readonly version: string; readonly resources?: readonly { readonly resource: string }[] }[];
  }[];
}

/** An API server as tests talk to it: any plane, any user. Refusals are errors with the server's words, unless the method says otherwise. */
export class TestApi {
  public constructor(public readonly access: ApiAccess) {}

  /** The object; an error when it is not there. */
  public async get(resource: ResourceName, namespace: string | undefined, name: string, subresource?: string): Promise<TestObject> {
    return this.send('GET', pathOf(resource, namespace, name, subresource));
  }

  /** The object, or undefined when it is not there. */
  public async tryGet(resource: ResourceName, namespace: string | undefined, name: string): Promise<TestObject | undefined> {
    const { status, body } = await apiRequest<TestObject>(this.access, 'GET', pathOf(resource, namespace, name));
    if (status === 404) {
      return undefined;
    }
    if (status !== 200) {
      throw new Error(`get ${resource} ${namespace}/${name} answered ${status}: ${body.message}`);
    }
    return body;
  }

  /** All objects of a namespace, or those that a label selector picks, by name. */
  public async list(resource: ResourceName, namespace?: string, labelSelector = ''): Promise<TestObject[]> {
    const { items } = await this.send('GET', `${pathOf(resource, namespace)}?labelSelector=${encodeURIComponent(labelSelector)}`);
    return (items as TestObject[]).sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  }

  /** Creates an object, or a subresource of `name`. */
  public async create(
    resource: ResourceName, namespace: string | undefined, object: object, name?: string, subresource?: string,
  ): Promise<TestObject> {
    return this.send('POST', pathOf(resource, namespace, name, subresource), object);
  }

  /** Creates an object or brings it to what is given, by server-side apply. */
  public async apply(resource: ResourceName, namespace: string | undefined, object: object): Promise<TestObject> {
    const { name } = (object as TestObject).metadata;
    return this.send('PATCH', `${pathOf(resource, namespace, name)}?fieldManager=trainyard-test&force=true`, object, 'application/apply-patch+yaml');
  }

  /** Changes an object by a merge patch. */
  public async patch(resource: ResourceName, namespace: string, name: string, patch: object, subresource?: string): Promise<TestObject> {
    return this.send('PATCH', pathOf(resource, namespace, name, subresource), patch, 'application/merge-patch+json');
  }

  /** Asks for the deletion of an object; of one that is gone already, too. */
  public async remove(resource: ResourceName, namespace: string | undefined, name: string, options: object = {}): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
    const answer = await apiRequest(this.access, 'DELETE', pathOf(resource, namespace, name), { body });
    if (answer.status >= 300 && answer.status !== 404) {
      throw new Error(`delete ${resource} ${namespace}/${name} answered ${answer.status}: ${answer.body.message}`);
    }
  }

  /** Makes a namespace with a name of its own. Where kube-controller-manager runs, pods are taken when this returns. */
  public async createNamespace(prefix = 'test', controllerManager = true): Promise<string> {
    const name = `${prefix}-${crypto.randomBytes(4).toString('hex')}`;
    await this.create('namespaces', undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    if (controllerManager) {
      await eventually(`the default ServiceAccount of namespace ${name}`, async () => this.tryGet('serviceaccounts', name, 'default'));
    }
    return name;
  }

  /** Installs definitions, and waits until clients hear of them. */
  public async define(definitions: readonly object[]): Promise<void> {
    for (const definition of definitions) {
      await this.apply('customresourcedefinitions', undefined, definition);
    }
    await this.untilDiscovered(definitions);
  }

  /**
   * Waits until clients that ask what there is hear of everything that the definitions define. The server tells them a moment after it serves the
   * first request, and a controller that starts in between gives up.
   */
  private async untilDiscovered(definitions: readonly object[]): Promise<void> {
    const wanted = (definitions as Definition[]).flatMap(({ spec: { group, names, versions } }) => (
      versions.filter(({ served }) => served).map((version) => `${group}/${version.name}/${names.plural}`)));
    await eventually(`discovery of ${wanted.join(', ')}`, async () => {
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
      const { body } = await apiRequest<Discovery>(this.access, 'GET', '/apis', { accept });
      const told = new Set(body.items?.flatMap(({ metadata, versions }) => (
        versions.flatMap(({ version, resources }) => (resources ?? []).map(({ resource }) => `${metadata.name}/${version}/${resource}`)))));
      return wanted.every((resource) => told.has(resource));
    });
  }

  /** Any request. @throws Error with the server's words when it is refused */
  public async send(method: string, path: string, body?: unknown, contentType?: string): Promise<TestObject> {
    const answer = await requestAgainWhile([429], this.access, method, path, { body, contentType });
    if (answer.status >= 300) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body.message ?? JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }
}

/** Path of an object, a collection or a subresource. */
export function pathOf(resource: ResourceName, namespace?: string, name?: string, subresource?: string): string {
  return [RESOURCES[resource], ...(namespace ? ['namespaces', namespace] : []), resource, name, subresource].filter(Boolean).join('/');
}
