/**
 * The program that a RayJob submits (`driver.py`, on the head). It wants one Ray node for each replica, and starts the user's command on each of them
 * with the environment that the framework's contract says. It uses Ray's core only; the user's script needs no Ray at all.
 *
 * Each replica has an actor on its node: it starts the program, hands its lines on, and tells how it ended. An actor that does not answer any more is
 * a lost node (a disruption) when Ray says that the node is gone, and else a failure. Lost nodes are KubeRay's to replace: the replica's bundle moves
 * to the new one.
 */
import { programText } from '../../../programs/program-text';
import { driverProgram } from '../launched/driver-program';

/** Custom resource that says which role's replica a Ray node is for; each node has one of it. */
export const RAY_ROLE_RESOURCE_PREFIX = 'trainyard-';

/** The whole file. */
export function rayDriver(): string {
  return driverProgram(programText('ray/driver.py'));
}
