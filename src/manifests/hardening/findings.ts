/** Runs all security checks on the objects of a program. */
import { hasEndingPods, podsOf } from './pods-of';
import {
  budgetFindings, meshFindings, meshNamespaces, rbacFindings, podFindings, type SecurityFindingSpec, type CheckedObject,
} from '../../model/hardening/checks';

/** Findings in one object. */
export interface ObjectFindings<T extends CheckedObject = CheckedObject> {
  readonly object: T;
  readonly findings: readonly SecurityFindingSpec[];
}

/** Checks objects. @param further namespaces where a mesh injects sidecars, in addition to those of the objects */
export function securityFindings<T extends CheckedObject>(objects: readonly T[], further: readonly string[] = []): ObjectFindings<T>[] {
  const mesh = [...meshNamespaces(objects), ...further];
  return objects.map((object) => {
    const pods = podsOf(object);
    const ofPods = pods.flatMap(({ path, spec }) => podFindings(spec, path));
    const sidecars = hasEndingPods(object) && mesh.includes(object.metadata.namespace ?? '')
      ? pods.flatMap(({ path, metadata }) => meshFindings(metadata, path.replace(/\.?spec$/, ''))) : [];
    return { object, findings: [...ofPods, ...sidecars, ...rbacFindings(object), ...budgetFindings(object, objects)] };
  }).filter(({ findings }) => findings.length > 0);
}
