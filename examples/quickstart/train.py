"""Data-parallel training of a small neural network on handwritten digits, with JAX, on any number of processes.

Every process takes its share of each batch, the gradients are averaged over all processes, and so all of them hold the same weights.
Nothing here knows how the processes are started: who they are comes from the variables that the training operator sets
(JAX_COORDINATOR_ADDRESS, JAX_NUM_PROCESSES, JAX_PROCESS_ID), the hyperparameters come under their own names, and checkpoints go to
CHECKPOINT_PATH, from where a run that was stopped goes on. What it tells of itself goes through trainyard_progress.py.
"""
import os
import re
import sys
import zipfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import trainyard_progress as progress

LEARNING_RATE = float(os.environ.get('LEARNING_RATE', '0.1'))
MOMENTUM = float(os.environ.get('MOMENTUM', '0.9'))
EPOCHS = int(os.environ.get('EPOCHS', '15'))
BATCH_SIZE = int(os.environ.get('BATCH_SIZE', '96'))  # of all processes together
HIDDEN_UNITS = int(os.environ.get('HIDDEN_UNITS', '64'))
CHECKPOINT_EVERY = int(os.environ.get('CHECKPOINT_EVERY', '50'))  # steps
LOG_EVERY = int(os.environ.get('LOG_EVERY', '0'))  # steps; without it once an epoch
CHECKPOINT_PATH = os.environ.get('CHECKPOINT_PATH', '')
RESUME_FROM = os.environ.get('RESUME_FROM', '')
CHECKPOINTS_KEPT = 3  # unless the job says otherwise

REPLICATED, SHARDED = PartitionSpec(), PartitionSpec('data')


def join_processes():
    """Meets the other processes of the job; without the variables this process is alone."""
    jax.config.update('jax_platforms', 'cpu')
    count = int(os.environ.get('JAX_NUM_PROCESSES', '1'))
    if count > 1:
        jax.distributed.initialize(
            coordinator_address=os.environ['JAX_COORDINATOR_ADDRESS'],
            num_processes=count,
            process_id=int(os.environ['JAX_PROCESS_ID']),
            heartbeat_timeout_seconds=10,  # how soon the others notice that one was killed; JAX itself would wait 100
        )
    if BATCH_SIZE % jax.process_count() != 0:
        raise SystemExit(f'BATCH_SIZE is {BATCH_SIZE}; it must be a multiple of the number of processes, which is {jax.process_count()}')


def load_digits():
    """Images and digits, to train on and to measure with; the same split in every process and every run."""
    table = np.loadtxt(Path(__file__).parent / 'data' / 'digits.csv', delimiter=',', dtype=np.float32)
    np.random.default_rng(0).shuffle(table)
    images, digits = table[:, :64] / 16, table[:, 64].astype(np.int32)
    held_out = len(table) // 5
    return (images[held_out:], digits[held_out:]), (images[:held_out], digits[:held_out])


def initial_state():
    first, second = jax.random.split(jax.random.key(0))
    weights = {
        'hidden': jax.random.normal(first, (64, HIDDEN_UNITS)) * np.sqrt(2 / 64),
        'hidden_bias': jnp.zeros(HIDDEN_UNITS),
        'output': jax.random.normal(second, (HIDDEN_UNITS, 10)) * np.sqrt(1 / HIDDEN_UNITS),
        'output_bias': jnp.zeros(10),
    }
    state = {f'weights.{name}': value for name, value in weights.items()}
    state.update({f'velocity.{name}': jnp.zeros_like(value) for name, value in weights.items()})
    return {name: np.asarray(value) for name, value in state.items()}


def logits(state, images):
    hidden = jax.nn.relu(images @ state['weights.hidden'] + state['weights.hidden_bias'])
    return hidden @ state['weights.output'] + state['weights.output_bias']


def mean_loss(state, images, digits):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits(state, images)), digits[:, None], axis=1).mean()


def train_step(state, images, digits, stop):
    """One step on this process's share of a batch. The last result counts the processes that were told to stop."""
    loss, gradients = jax.value_and_grad(mean_loss)(state, images, digits)
    # One sum over the processes carries all that they have to tell each other.
    loss, gradients, stops = jax.lax.pmean((loss, gradients, stop.sum()), 'data')
    updated = {}
    for name in (name for name in state if name.startswith('weights.')):
        velocity = name.replace('weights.', 'velocity.')
        updated[velocity] = MOMENTUM * state[velocity] - LEARNING_RATE * gradients[name]
        updated[name] = state[name] + updated[velocity]
    return updated, loss, stops


def count_right(state, images, digits, real):
    """How many of the real rows (the others only fill up the last share) are recognized, over all processes."""
    right = (logits(state, images).argmax(axis=1) == digits) & real
    return jax.lax.psum(right.sum(), 'data')


class Checkpoints:
    """Numbered files in one folder. Each appears complete or not at all, so that a run killed while it writes does no harm."""

    def __init__(self, folder):
        if '://' in folder:
            raise SystemExit(f'CHECKPOINT_PATH is {folder}; this example writes to a folder only')
        self.folder = Path(folder)

    def numbered(self):
        steps = {}
        for file in self.folder.glob('step-*.npz'):
            if match := re.fullmatch(r'step-(\d+)\.npz', file.name):
                steps[int(match.group(1))] = file
        return steps

    def newest(self):
        """Step and state of the newest file that can be read, or nothing."""
        found = sorted(self.numbered().items(), reverse=True)
        if not found and (match := re.search(r'step-(\d+)\.npz$', RESUME_FROM)):
            found = [(int(match.group(1)), Path(RESUME_FROM))]  # another run's, which the job starts from
        for step, file in found:
            try:
                with np.load(file) as archive:
                    return step, {name: archive[name] for name in archive.files}
            except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
                print(f'checkpoint {file.name} cannot be read ({error}); trying the one before', flush=True)
        return None

    def save(self, step, state):
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.folder / f'.step-{step:08d}.{os.getpid()}.draft'
        with open(draft, 'wb') as file:
            np.savez(file, **{name: np.asarray(value) for name, value in state.items()})
            file.flush()
            os.fsync(file.fileno())
        complete = self.folder / f'step-{step:08d}.npz'
        os.replace(draft, complete)
        progress.checkpoint(complete, step)
        progress.prune([file for _, file in sorted(self.numbered().items())], keep=progress.keep_last(CHECKPOINTS_KEPT))


def resume(checkpoints, state):
    """The first process reads the checkpoint and hands it to all, so that they agree on it even where only one sees the folder."""
    found = checkpoints.newest() if checkpoints and jax.process_index() == 0 else None
    step, state = found if found else (0, state)
    if jax.process_count() > 1:
        step, state = multihost_utils.broadcast_one_to_all((np.int32(step), state))
    return int(step), {name: np.asarray(value) for name, value in state.items()}


def main():
    join_processes()
    rank, world = jax.process_index(), jax.process_count()
    stop = progress.StopSignal()

    mesh = Mesh(np.array(jax.devices()), ('data',))

    def shared(local):
        """One array over all processes, of which this one holds its share."""
        return jax.make_array_from_process_local_data(NamedSharding(mesh, SHARDED), np.asarray(local))

    step_on_all = jax.jit(jax.shard_map(
        train_step, mesh=mesh, in_specs=(REPLICATED, SHARDED, SHARDED, SHARDED), out_specs=(REPLICATED, REPLICATED, REPLICATED),
    ))
    count_on_all = jax.jit(jax.shard_map(
        count_right, mesh=mesh, in_specs=(REPLICATED, SHARDED, SHARDED, SHARDED), out_specs=REPLICATED,
    ))

    (images, digits), (test_images, test_digits) = load_digits()
    steps_per_epoch = len(images) // BATCH_SIZE
    last_step = EPOCHS * steps_per_epoch
    checkpoints = Checkpoints(CHECKPOINT_PATH) if CHECKPOINT_PATH else None
    step, state = resume(checkpoints, initial_state())
    if rank == 0:
        start = f'resumed from step {step}' if step else 'started'
        print(f'{start}: {world} processes, {len(images)} images, {last_step} steps', flush=True)

    saved, share = step, BATCH_SIZE // world
    while step < last_step:
        epoch, place = divmod(step, steps_per_epoch)
        order = np.random.default_rng((1, epoch)).permutation(len(images))
        batch = order[place * BATCH_SIZE:][rank * share:(rank + 1) * share]
        state, loss, stops = step_on_all(state, shared(images[batch]), shared(digits[batch]), shared(np.float32([stop.requested])))
        step += 1
        # All processes see the same count here, and leave the loop at the same step: nobody waits for one that is gone.
        stopping = float(stops) > 0
        if rank == 0 and (step % (LOG_EVERY or steps_per_epoch) == 0 or step == 1):
            print(f'step={step} loss={float(loss):.4f} epoch={epoch + 1} progress={100 * step // last_step}%', flush=True)
            progress.report(100 * step // last_step, {'loss': f'{float(loss):.4f}', 'epoch': epoch + 1}, force=step == last_step)
        if rank == 0 and checkpoints and (stopping or step == last_step or step % CHECKPOINT_EVERY == 0):
            checkpoints.save(step, state)
            saved = step
        if stopping and step < last_step:
            if rank == 0:
                print(f'told to stop: saved at step {saved}' if checkpoints else 'told to stop; no CHECKPOINT_PATH to save to', flush=True)
            return progress.TERMINATED

    rows = -(-len(test_images) // world)
    mine = np.arange(rank * rows, (rank + 1) * rows)
    real, mine = mine < len(test_images), np.minimum(mine, len(test_images) - 1)
    right = int(count_on_all(state, shared(test_images[mine]), shared(test_digits[mine]), shared(real)))
    if rank == 0:
        print(f'accuracy={right / len(test_images):.3f} ({right} of {len(test_images)} digits that were not trained on)', flush=True)
        progress.report(100, {'accuracy': f'{right / len(test_images):.3f}'}, force=True)
        progress.flush(60)  # the end of the process waits for five seconds only
    return 0


if __name__ == '__main__':
    sys.exit(main())
