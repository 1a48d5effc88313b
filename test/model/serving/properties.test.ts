/** What holds for every service, and for every graph. */
import fc from 'fast-check';
import { anyService, servingName, validService } from './arbitraries';
import { constructInferenceService } from '../../../src/manifests/serving/inference-service';
import { validateInferenceGraph, type GraphNode } from '../../../src/model/serving/graph';
import type { CanarySpec, InferenceServiceSpec } from '../../../src/model/serving/spec';
import { validateInferenceService } from '../../../src/model/serving/validation';

const render = (spec: InferenceServiceSpec) => constructInferenceService({ name: 'iris', spec });

test('rules and renderer never throw and never change what they are given', () => {
  fc.assert(fc.property(servingName, anyService, (name, spec) => {
    const before = JSON.stringify(spec);
    validateInferenceService({ name, spec });
    constructInferenceService({ name, spec });
    expect(JSON.stringify(spec)).toBe(before);
  }));
});

test('every service says its mode, and a candidate stands where its mode has it', () => {
  fc.assert(fc.property(anyService, (spec) => {
    const { metadata, spec: rendered } = render(spec);
    expect(metadata.annotations?.['serving.kserve.io/deploymentMode']).toBe(spec.mode);
    expect(rendered).not.toHaveProperty(spec.mode === 'Standard' ? 'predictor.canaryTrafficPercent' : 'canary');
  }));
});

test('a candidate that is rolled back leaves a Standard service as it was, and one that is promoted becomes the predictor', () => {
  fc.assert(fc.property(anyService, servingName, (spec, name) => {
    const service: InferenceServiceSpec = { ...spec, mode: 'Standard', canaries: undefined };
    const canary: CanarySpec = { name, trafficPercent: 10, phase: 'serving', changes: { storage: [{ uri: 'gs://m/candidate' }] } };
    const during = render({ ...service, canaries: [canary] });
    expect({ ...during.spec, canary: undefined }).toEqual({ ...render(service).spec, canary: undefined });
    expect(render({ ...service, canaries: [{ ...canary, phase: 'rolled-back' }] })).toEqual(render(service));
    expect(render({ ...service, canaries: [{ ...canary, phase: 'promoted' }] })).toEqual(render({ ...service, predictor: { ...service.predictor, ...canary.changes, name } }));
  }));
});

test('a valid candidate is never scaled, and names its container', () => {
  fc.assert(fc.property(validService, (spec) => {
    for (const { predictor } of (render(spec).spec.canary ?? []) as { predictor: { [field: string]: unknown } }[]) {
      expect(predictor).toMatchObject({ name: expect.any(String), model: { name: 'kserve-container' } });
      expect(Object.keys(predictor).filter((field) => ['maxReplicas', 'autoScaling', 'scaleMetric', 'scaleTarget', 'workerSpec'].includes(field))).toEqual([]);
    }
  }), { numRuns: 200 });
});

test('a graph whose steps lead forwards only has no circle, and one step back makes one', () => {
  const sizes = fc.integer({ min: 2, max: 8 }).chain((size) => fc.record({
    size: fc.constant(size),
    // The node that leads to each but the first, before it: so all are reached.
    parents: fc.tuple(...Array.from({ length: size - 1 }, (_, index) => fc.nat({ max: index }))),
    from: fc.nat({ max: size - 1 }),
  }));
  fc.assert(fc.property(sizes, ({ size, parents, from }) => {
    const nameOf = (index: number) => (index === 0 ? 'root' : `n${index}`);
    const nodes: { [name: string]: GraphNode } = Object.fromEntries(Array.from({ length: size }, (_, index) => [nameOf(index), {
      routerType: 'Ensemble' as const,
      steps: [{ serviceName: 'leaf' }, ...(parents as number[]).flatMap((parent, child) => (parent === index ? [{ nodeName: nameOf(child + 1) }] : []))],
    }]));
    expect(validateInferenceGraph('graph', { mode: 'Standard', nodes })).toEqual([]);
    const back = { ...nodes[nameOf(from)], steps: [...nodes[nameOf(from)].steps, { nodeName: 'root' }] };
    expect(validateInferenceGraph('graph', { mode: 'Standard', nodes: { ...nodes, [nameOf(from)]: back } })).toEqual([
      expect.objectContaining({ message: expect.stringContaining('leads back to itself') }),
    ]);
  }));
});
