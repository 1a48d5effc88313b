/**
 * The application of a SparkApplication (`driver.py`). It has Spark run one task on each executor, and keeps these tasks: each is the agent of one
 * replica, which starts the user's command when the driver says so, with the environment that the framework's contract says. The user's script needs
 * no Spark at all.
 *
 * Agents speak with the driver over connections of their own, with a key that goes with the task. Spark runs a task again whose executor is lost, on
 * the one that replaces it; then the replica has a new agent. Barrier mode would end all tasks with the first one, and each attempt would be a stage.
 */
import { programText } from '../../../programs/program-text';
import { driverProgram } from '../launched/driver-program';

/** The whole file. */
export function sparkDriver(): string {
  return driverProgram(programText('spark/driver.py'));
}
