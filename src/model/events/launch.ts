/**
 * Training jobs that are started by events or by the time. What is started is a template: an engine's rendering of a job with stand-ins for the
 * part of its name that differs and for its event. A stand-in for names is as long as what it stands for, so that a name that keeps its rules does
 * so with every id.
 */
import { API_GROUP } from '../labels';

/** Name of what has started a job. Set by the launcher's template on every job. */
export const LAUNCHER_LABEL = `${API_GROUP}/launcher`;

/** Stands for the last part of a job's name. */
export const ID_PLACEHOLDER = 'trainyard0id';

/** Stands for the event, in base64. */
export const EVENT_PLACEHOLDER = 'TRAINYARD-EVENT';

/** Variable with the event: a CloudEvent as JSON, in base64. */
export const EVENT_VARIABLE = 'TRAINYARD_EVENT';

/** Name of the job that the template describes. */
export function templateName(launcher: string): string {
  return `${launcher}-${ID_PLACEHOLDER}`;
}

/** Longest name of a launcher with which names of jobs, engines permitting, are DNS labels. */
export const LAUNCHER_NAME_MAX_LENGTH = 63 - '-'.length - ID_PLACEHOLDER.length;
