/** Pulumi without an engine: resources are recorded with their inputs, parents and dependencies. */
import * as pulumi from '@pulumi/pulumi';
import { MockMonitor } from '@pulumi/pulumi/runtime/mocks';

/** A resource as the engine would be asked for it. Inputs that are not known yet are undefined. */
export interface Recorded {
  readonly type: string;
  readonly name: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what tests look into is theirs to know
  readonly inputs: { readonly [name: string]: any };
}

/** Everything that a program asked for. */
export class Recorder {
  public readonly resources: Recorded[] = [];
  /** What else the engine is told of a resource, by its type and name: its parent, what it waits for, what is ignored, what is secret, and
   * whether it goes before another one takes its place. */
  public readonly edges = new Map<string, {
    readonly parent: string; readonly dependencies: string[]; readonly ignoreChanges: string[]; readonly secrets: string[];
    readonly deleteBeforeReplace: boolean;
  }>();

  /** All resources by type and name: the order in which outputs resolve says nothing. */
  public sorted(): Recorded[] {
    return [...this.resources].sort((a, b) => (`${a.type} ${a.name}` < `${b.type} ${b.name}` ? -1 : 1));
  }

  /** The resources of a type, by name. */
  public of(type: string): Recorded[] {
    return this.sorted().filter((resource) => resource.type === type);
  }

  /** The one resource of a type. */
  public one(type: string): Recorded {
    const found = this.of(type);
    if (found.length !== 1) {
      throw new Error(`expected one ${type} and found ${found.length}, among ${this.resources.map((each) => `${each.type} ${each.name}`).join(', ')}`);
    }
    return found[0];
  }

  /** One line for each resource: type, name, and in brackets what it waits for. Components are indented by their parents. */
  public graph(): string {
    const lines = this.resources.map(({ type, name }) => {
      const { parent, dependencies } = this.edges.get(`${type} ${name}`)!;
      return `${type} ${name}${parent === '' ? '' : ` in ${parent}`}${dependencies.length > 0 ? ` [${dependencies.join(', ')}]` : ''}`;
    });
    return lines.sort().join('\n');
  }
}

/** The name of a resource, out of its URN. */
function shortUrn(urn: string): string {
  return urn.split('::').at(-1)!;
}

/** What the engine is asked for, as far as tests look at it. */
interface RegisterRequest {
  getType(): string;
  getName(): string;
  getParent(): string;
  getDependenciesList(): string[];
  getIgnorechangesList(): string[];
  getDeletebeforereplace(): boolean;
  getAdditionalsecretoutputsList(): string[];
}

export interface MockOptions {
  /** Whether the program runs in a preview: what the cloud decides is unknown. */
  readonly preview?: boolean;
  readonly stack?: string;
  readonly project?: string;
}

/** What the cloud decides of a resource, beside its inputs. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- inputs of any resource
function decidedByCloud(type: string, name: string, inputs: { readonly [name: string]: any }): object {
  switch (type) {
    case 'gcp:container/cluster:Cluster':
      return {
        endpoint: '203.0.113.7',
        masterAuth: { clusterCaCertificate: 'Q0E=' },
        controlPlaneEndpointsConfig: { dnsEndpointConfig: { endpoint: 'gke-1.europe-west4.gke.goog' } },
      };
    case 'gcp:filestore/instance:Instance':
      return { networks: [{ ...inputs.networks[0], ipAddresses: ['10.1.2.3'] }] };
    case 'gcp:redis/instance:Instance':
      return { host: '10.1.2.4', port: 6379, authString: 'made-up' };
    case 'gcp:sql/databaseInstance:DatabaseInstance':
      return { privateIpAddress: '10.96.0.3', connectionName: `${inputs.project}:${inputs.region}:${name}-made` };
    case 'gcp:alloydb/instance:Instance':
      return { ipAddress: '10.96.1.2' };
    case 'gcp:projects/serviceIdentity:ServiceIdentity':
      return { member: `serviceAccount:${inputs.service.split('.')[0]}-agent` };
    case 'gcp:serviceaccount/account:Account':
      return { email: `${inputs.accountId}@ml-test.iam.gserviceaccount.com` };
    default:
      return {};
  }
}

/** Begins to record. */
export async function startRecording({ preview = false, stack = 'test', project = 'training' }: MockOptions = {}): Promise<Recorder> {
  const recorder = new Recorder();
  await pulumi.runtime.setMocks({
    newResource({ type, name, inputs, custom }) {
      recorder.resources.push({ type, name, inputs });
      const decided = decidedByCloud(type, name, inputs);
      return { id: custom === false || preview ? undefined : `${name}-id`, state: preview ? inputs : { name: `${name}-made`, ...inputs, ...decided } };
    },
    call({ token }) {
      return token === 'gcp:organizations/getProject:getProject' ? { number: '123456789012' }
        : token === 'gcp:bigquery/getDefaultServiceAccount:getDefaultServiceAccount' ? { email: 'bq-123456789012@bigquery-encryption.iam.gserviceaccount.com' } : {};
    },
  }, project, stack, preview);
  const original = MockMonitor.prototype.registerResource;
  jest.spyOn(MockMonitor.prototype, 'registerResource').mockImplementation(function record(this: MockMonitor, request: RegisterRequest, callback: unknown) {
    recorder.edges.set(`${request.getType()} ${request.getName()}`, {
      parent: shortUrn(request.getParent()), dependencies: [...new Set<string>(request.getDependenciesList().map(shortUrn))].sort(),
      ignoreChanges: request.getIgnorechangesList(), secrets: request.getAdditionalsecretoutputsList(),
      deleteBeforeReplace: request.getDeletebeforereplace(),
    });
    return original.call(this, request, callback as Parameters<typeof original>[1]);
  });
  return recorder;
}

/** Waits until everything that was asked for is recorded. */
export async function settled(): Promise<void> {
  // Internal to Pulumi, whose public way to wait also ends the connection.
  await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
}

/** The value of an output. */
export function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  return (output as unknown as { promise(): Promise<T> }).promise();
}

/** An output that resolves after others. */
export function late<T>(value: T): pulumi.Output<T> {
  return pulumi.output(new Promise<T>((resolve) => {
    setImmediate(() => resolve(value));
  })) as pulumi.Output<T>;
}

/** An output that a preview does not know. */
export function unknown<T>(): pulumi.Output<T> {
  const create = pulumi.Output as unknown as new (...parts: unknown[]) => pulumi.Output<T>;
  return new create(new Set(), Promise.resolve(undefined), Promise.resolve(false), Promise.resolve(false), Promise.resolve(new Set()));
}

/** Whether an output is a secret. */
export function isSecret(output: pulumi.Output<unknown>): Promise<boolean> {
  return (output as unknown as { readonly isSecret: Promise<boolean> }).isSecret;
}

/** Ends the connection, and the server that transforms are called by. */
export function shutDown(): void {
  (pulumi.runtime as unknown as { disconnectSync(): void }).disconnectSync();
}
