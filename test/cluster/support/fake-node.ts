import crypto from 'node:crypto';
import { now } from './kubelet';
import type { TestApi } from './test-api';

/** Namespace of the Leases of nodes. */
const LEASES = 'kube-node-lease';

/** A node that is what a test says: nothing on the test's control plane looks after nodes. */
export class FakeNode {
  public readonly name = `node-${crypto.randomBytes(4).toString('hex')}`;

  public constructor(private readonly api: TestApi) {}

  /** Makes a node that is ready. */
  public static async create(api: TestApi): Promise<FakeNode> {
    const node = new FakeNode(api);
    await api.create('nodes', undefined, { apiVersion: 'v1', kind: 'Node', metadata: { name: node.name } });
    await node.setReady('True');
    // The API server taints new nodes until a controller finds them ready.
    await api.patch('nodes', '', node.name, { spec: { taints: null } });
    return node;
  }

  /** What the node's kubelet says, or (`Unknown`) the control plane when the kubelet says nothing. */
  public async setReady(status: 'True' | 'False' | 'Unknown'): Promise<void> {
    const ready = { type: 'Ready', status, reason: 'Test', message: '', lastHeartbeatTime: now(), lastTransitionTime: now() };
    await this.api.patch('nodes', '', this.name, { status: { conditions: [ready] } }, 'status');
  }

  /** Puts labels on it. */
  public async label(labels: { readonly [label: string]: string }): Promise<void> {
    await this.api.patch('nodes', '', this.name, { metadata: { labels } });
  }

  /** Announces something by a taint. */
  public async taint(key: string): Promise<void> {
    await this.api.patch('nodes', '', this.name, { spec: { taints: [{ key, effect: 'NoSchedule' }] } });
  }

  /** The node's kubelet renews its Lease, or makes it. */
  public async renewLease(): Promise<void> {
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    await this.api.apply('leases', LEASES, {
      apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: this.name, namespace: LEASES }, spec: { holderIdentity: this.name, renewTime },
    });
  }

  /** The machine is gone. Also for cleaning up. */
  public async remove(): Promise<void> {
    await this.api.remove('leases', LEASES, this.name);
    await this.api.remove('nodes', undefined, this.name);
  }
}
