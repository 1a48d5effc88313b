/** Services for the tests of rules and renderers. */
import type { ComponentSpec, InferenceServiceSpec, NamedInferenceService } from '../../../src/model/serving/spec';

/** A predictor of scikit-learn. */
export const SKLEARN: ComponentSpec = { model: { format: 'sklearn' }, storage: [{ uri: 'gs://models/iris/1' }] };

/** A container of the user's. */
export const CONTAINER: ComponentSpec = { container: { image: 'server:1' } };

/** A service in Standard mode. */
export function standard(spec: Partial<InferenceServiceSpec> = {}, name = 'iris', namespace?: string): NamedInferenceService {
  return { name, namespace, spec: { mode: 'Standard', predictor: SKLEARN, ...spec } };
}

/** A service in Knative mode. */
export function knative(spec: Partial<InferenceServiceSpec> = {}, name = 'iris', namespace?: string): NamedInferenceService {
  return standard({ mode: 'Knative', ...spec }, name, namespace);
}

/** The predictor of scikit-learn with more or other fields. */
export function predictor(fields: Partial<ComponentSpec>): { predictor: ComponentSpec } {
  return { predictor: { ...SKLEARN, ...fields } };
}

/** A candidate with another model. */
export function canary(name: string, trafficPercent = 10) {
  return { name, trafficPercent, phase: 'serving' as const, changes: { storage: [{ uri: `gs://models/iris/${name}` }] } };
}
