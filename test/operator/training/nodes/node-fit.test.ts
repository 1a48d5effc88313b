import type { PodSpec } from '../../../../src/manifests/kubernetes';
import type { KubeObject } from '../../../../src/operator/runtime/kube-object';
import { canAvoid, fitsNode } from '../../../../src/operator/training/nodes/node-fit';

const READY = { conditions: [{ type: 'Ready', status: 'True' }] };
const node = (name: string, more: object = {}, labels = {}) => ({ metadata: { name, labels }, status: READY, ...more }) as KubeObject;
const spec = (more: object = {}) => ({ containers: [], ...more }) as PodSpec;

/** Answers with nodes, a page for each list. */
function clientOf(...pages: KubeObject[][]) {
  const asked: object[] = [];
  const listPage = async (_kind: unknown, options: { continueToken?: string }) => {
    asked.push(options);
    const page = Number(options.continueToken ?? 0);
    return { items: pages[page] ?? [], resourceVersion: '', continueToken: page + 1 < pages.length ? String(page + 1) : undefined };
  };
  return { asked, client: { listPage } as unknown as Parameters<typeof canAvoid>[0] };
}

describe('a pod that avoids nodes', () => {
  it('can do so where another node takes it, on whatever page that is', async () => {
    expect(await canAvoid(clientOf([node('a')], [node('b')]).client, spec(), ['a'])).toBe(true);
  });

  it('cannot on a cluster of one node, nor where all others are not ready, cordoned, tainted or of another pool', async () => {
    const others = [
      node('b', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }), node('c', { spec: { unschedulable: true } }),
      node('d', { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } }),
    ];
    expect(await canAvoid(clientOf([node('a')]).client, spec(), ['a'])).toBe(false);
    expect(await canAvoid(clientOf([node('a'), ...others]).client, spec(), ['a'])).toBe(false);
    expect(await canAvoid(clientOf([node('b', {}, { pool: 'cpu' })]).client, spec({ nodeSelector: { pool: 'gpu' } }), ['a'])).toBe(false);
  });

  it('asks for the nodes of its own selector only', async () => {
    const { client, asked } = clientOf([]);
    await canAvoid(client, spec({ nodeSelector: { pool: 'gpu', zone: 'x' } }), ['a']);
    expect(asked).toMatchObject([{ labelSelector: 'pool=gpu,zone=x', limit: 100 }]);
  });

  it('only prefers others where nodes may not be listed', async () => {
    expect(await canAvoid({ listPage: async () => { throw new Error('403'); } } as never, spec(), ['a'])).toBe(false);
  });
});

describe('a node', () => {
  it('takes a pod that tolerates its taints', () => {
    const tainted = node('a', { spec: { taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }] } });
    expect(fitsNode(spec({ tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }] }), tainted)).toBe(true);
    expect(fitsNode(spec({ tolerations: [{ operator: 'Exists' }] }), tainted)).toBe(true);
    expect(fitsNode(spec({ tolerations: [{ key: 'nvidia.com/gpu', value: 'other' }] }), tainted)).toBe(false);
  });

  it('takes a pod whose required affinity it meets in one of the terms', () => {
    const required = (...terms: object[]) => spec({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
    });
    const gpu = node('a', {}, { pool: 'gpu', size: '8' });
    expect(fitsNode(required({ matchExpressions: [{ key: 'pool', operator: 'In', values: ['cpu'] }] }), gpu)).toBe(false);
    expect(fitsNode(required({ matchExpressions: [{ key: 'pool', operator: 'In', values: ['cpu'] }] }, { matchExpressions: [{ key: 'size', operator: 'Gt', values: ['4'] }] }), gpu)).toBe(true);
    expect(fitsNode(required({ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['a'] }] }), gpu)).toBe(false);
  });
});
