"""The Trainer of Hugging Face with trainyard-progress: the last rank of the first attempt gets SIGTERM in its seventh step, and all ranks stop there. The
second attempt continues from the checkpoint."""
import json
import os
import signal

import torch
from trainyard_progress.huggingface import TrainyardCallback
from transformers import Trainer, TrainerCallback, TrainingArguments

rank, world = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
folder, resume_from = os.environ['CHECKPOINT_PATH'], os.environ.get('RESUME_FROM')


class Interruption(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        if state.global_step == 7 and not resume_from and rank == world - 1:
            os.kill(os.getpid(), signal.SIGTERM)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def forward(self, points, labels):
        return {'loss': torch.nn.functional.mse_loss(self.layer(points)[:, 0], labels)}


if not hasattr(torch.cpu, 'device_count'):  # Debian's PyTorch is older than what Accelerate expects of several ranks
    torch.cpu.device_count, torch.cpu.set_device = lambda: 1, lambda _device: None
torch.manual_seed(0)
rows = [{'points': points, 'labels': points.sum()} for points in torch.rand(40, 2)]
arguments = TrainingArguments(
    folder, max_steps=20, per_device_train_batch_size=4, save_steps=5, logging_steps=2, report_to='none', disable_tqdm=True, dataloader_num_workers=1,
    use_cpu=world > 1, ddp_backend='gloo' if world > 1 else None,
)
trainer = Trainer(Model(), arguments, train_dataset=rows, callbacks=[Interruption(), TrainyardCallback()])
print(json.dumps({'framework': 'transformers', 'rank': rank, 'done': int(resume_from.rsplit('-', 1)[1]) if resume_from else 0}), flush=True)
trainer.train(resume_from_checkpoint=resume_from)
print(json.dumps({'framework': 'transformers', 'rank': rank, 'done': trainer.state.global_step}), flush=True)
