/** What a program that a driver starts shares with its container. */

/** Folder of a worker's container with `pid`, the program's process, and `terminating`, which is there when the pod has been asked to go. */
export const LAUNCH_STATE_PATH = '/run/trainyard/launch';

/** Variable with the path of {@link LAUNCH_STATE_PATH}. */
export const LAUNCH_STATE_VARIABLE = 'TRAINYARD_LAUNCH_STATE';

/** Variable with the file that a program's output is copied to: what the container itself writes to. */
export const LAUNCH_LOG_VARIABLE = 'TRAINYARD_LAUNCH_LOG';
