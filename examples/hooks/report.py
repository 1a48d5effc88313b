"""Says how the job has ended."""
import os

print(f"{os.environ['TRAINYARD_JOB_NAME']}: {os.environ['TRAINYARD_JOB_OUTCOME']} ({os.environ['TRAINYARD_JOB_REASON']})")
