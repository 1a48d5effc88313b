/** A migrated job as the objects of an engine. */
import type { EngineDefinition } from '../../manifests/engines/engine';
import type { JsonObject } from '../../manifests/migrate/fields';
import type { MigratedJob } from '../../manifests/migrate/job';

/** The engine's objects, what has to be there first at the front; the user's labels and annotations are on the job. */
export function jobObjects({ name, namespace, labels, annotations, spec }: MigratedJob, engine: EngineDefinition): JsonObject[] {
  const { job, companions } = engine.render({ name, namespace, labels, spec });
  const merged = { labels: { ...labels, ...job.metadata.labels }, annotations: { ...annotations, ...job.metadata.annotations } };
  const given = Object.fromEntries(Object.entries(merged).filter(([, map]) => Object.keys(map).length > 0));
  const { labels: _labels, annotations: _annotations, ...metadata } = job.metadata;
  return [...companions, { ...job, metadata: { ...metadata, ...given } }] as unknown as JsonObject[];
}
