"""Calls the Python SDK: one call for each line of JSON on the standard input, its result as a line of JSON.

Arguments: the host and the token.
"""

import contextlib
import dataclasses
import json
import sys

import phase
from phase import Phase

OPTIONS = {
    "create_secrets": phase.CreateSecretsOptions,
    "get_secret": phase.GetSecretOptions,
    "get_all_secrets": phase.GetAllSecretsOptions,
    "update_secret": phase.UpdateSecretOptions,
    "delete_secret": phase.DeleteSecretOptions,
}


def answer(client, call):
    try:
        # The SDK prints, too; the standard output is for results alone.
        with contextlib.redirect_stdout(sys.stderr):
            options = OPTIONS[call["name"]](**call["options"])
            result = getattr(client, call["name"])(options)
        return {"result": result}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def plain(value):
    return dataclasses.asdict(value)


host, token = sys.argv[1:]
client = Phase(init=False, host=host, pss=token)
for line in sys.stdin:
    print(json.dumps(answer(client, json.loads(line)), default=plain), flush=True)
