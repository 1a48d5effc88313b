/** Objects of a part of an app, as synth will write them. */
import { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { apiObjectsIn } from '../rendering/objects';
import type { Manifest } from '../../manifests/kubernetes';
import { TrainingJob } from '../training-job/training-job';

/** An object and its construct. */
export interface RenderedObject {
  readonly construct: ApiObject;
  readonly manifest: Manifest & { readonly spec?: unknown };
}

/**
 * Renders the objects below a construct. Objects that cannot be rendered are left out, because their constructs report errors in the same synth.
 * @param wanted selects objects before they are rendered
 */
export function renderedObjects(over: IConstruct, wanted: (object: ApiObject) => boolean): RenderedObject[] {
  return apiObjectsIn(over).filter(wanted).flatMap((construct) => {
    const manifest = tryRender(construct);
    return manifest === undefined ? [] : [{ construct, manifest }];
  });
}

function tryRender(construct: ApiObject): RenderedObject['manifest'] | undefined {
  // Rendering a job with violations throws.
  if (construct.node.scopes.some((scope) => scope instanceof TrainingJob && scope.node.validate().length > 0)) {
    return undefined;
  }
  try {
    return construct.toJson() as RenderedObject['manifest'];
  } catch {
    return undefined;
  }
}
