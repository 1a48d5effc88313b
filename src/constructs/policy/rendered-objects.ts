/** Objects of a part of an app, as they will be synthesized. */
import { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';
import type { Manifest } from '../../manifests/kubernetes';
import { TrainingJob } from '../training-job/training-job';

/** An object with the construct that it comes from. */
export interface RenderedObject {
  readonly construct: ApiObject;
  readonly manifest: Manifest & { readonly spec?: unknown };
}

/**
 * Renders the objects below a construct. One that cannot be rendered is left out: its construct reports why at the same synth.
 * @param wanted which objects are of interest, as far as can be told without rendering them
 */
export function renderedObjects(over: IConstruct, wanted: (object: ApiObject) => boolean): RenderedObject[] {
  return over.node.findAll().filter((construct): construct is ApiObject => ApiObject.isApiObject(construct)).filter(wanted).flatMap((construct) => {
    const manifest = tryRender(construct);
    return manifest === undefined ? [] : [{ construct, manifest }];
  });
}

function tryRender(construct: ApiObject): RenderedObject['manifest'] | undefined {
  // A job with problems throws when it is rendered.
  if (construct.node.scopes.some((scope) => scope instanceof TrainingJob && scope.node.validate().length > 0)) {
    return undefined;
  }
  try {
    return construct.toJson() as RenderedObject['manifest'];
  } catch {
    return undefined;
  }
}
