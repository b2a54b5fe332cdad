"""Restores carts, jobs and models."""
import base64
import io
import json
import marshal
import pickle
import shelve

import dill
import jsonpickle
import torch
import yaml
from flask import Flask, request

app = Flask(__name__)


@app.get("/cart")
def cart():
    # ruleid: deserialization
    return pickle.loads(base64.b64decode(request.cookies["cart"]))


@app.get("/cart2")
def cart_safe():
    # ok: deserialization
    return json.loads(base64.b64decode(request.cookies["cart"]))


@app.post("/settings")
def settings():
    # ruleid: deserialization
    return yaml.load(request.data, Loader=yaml.Loader)


@app.post("/settings2")
def settings_safe():
    # ok: deserialization
    return yaml.safe_load(request.data)


def compose(path):
    with open(path, encoding="utf-8") as f:
        # ok: deserialization
        return yaml.load(f, Loader=yaml.SafeLoader)


@app.post("/job")
def job():
    body = request.get_data()
    # ruleid: deserialization
    task = pickle.load(io.BytesIO(body))
    return {"task": task.name}


@app.post("/code")
def code():
    # ruleid: deserialization
    return {"code": repr(marshal.loads(request.data))}


def snapshot(state, path):
    """Writes a snapshot. Do not read it with pickle.loads(), use restore()."""
    with open(path, "wb") as f:
        # ok: deserialization
        pickle.dump(state, f)


@app.post("/model")
def model():
    upload = request.files["model"]
    # ruleid: deserialization
    weights = torch.load(
        upload.stream,
        weights_only=False,
    )
    return {"layers": len(weights)}


def model_safe(path):
    # ok: deserialization
    return torch.load(path, weights_only=True)


@app.post("/object")
def restore():
    # ruleid: deserialization
    return str(jsonpickle.decode(request.get_data(as_text=True)))


@app.post("/function")
def function():
    # ruleid: deserialization
    fn = dill.loads(request.data)
    return {"result": fn()}


def parse(line):
    # ok: deserialization
    return json.loads(line)
