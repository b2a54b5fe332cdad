"""Clients of the payment partner."""
import logging
import smtplib
import ssl
import urllib.request

import aiohttp
import httpx
import paramiko
import requests
import urllib3

log = logging.getLogger(__name__)
URL = "https://pay.example.net/v2"


def charge(payload):
    # ruleid: tls-verification
    return requests.post(URL + "/charge", json=payload, timeout=10, verify=False)


def charge_safe(payload):
    # ok: tls-verification
    return requests.post(URL + "/charge", json=payload, timeout=10, verify=True)


def charge_internal(payload):
    # ok: tls-verification
    return requests.post(URL + "/charge", json=payload, timeout=10, verify="/etc/ssl/partner.pem")


def session():
    s = requests.Session()
    # ruleid: tls-verification
    s.verify = False
    return s


def context():
    # ruleid: tls-verification
    ctx = ssl._create_unverified_context()
    return urllib.request.urlopen(URL, context=ctx)


def context_safe():
    # ok: tls-verification
    ctx = ssl.create_default_context()
    return urllib.request.urlopen(URL, context=ctx)


def lax():
    ctx = ssl.create_default_context()
    ctx.check_hostname = False
    # ruleid: tls-verification
    ctx.verify_mode = ssl.CERT_NONE
    return ctx


def strict():
    ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    ctx.load_verify_locations("/etc/ssl/partner.pem")
    # ok: tls-verification
    ctx.verify_mode = ssl.CERT_REQUIRED
    return ctx


async def status():
    # ruleid: tls-verification
    async with httpx.AsyncClient(
        base_url=URL,
        verify=False,
    ) as client:
        return await client.get("/status")


async def status_aiohttp():
    # ruleid: tls-verification
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=False)) as client:
        return await client.get(URL + "/status")


def shell(host):
    client = paramiko.SSHClient()
    # ruleid: tls-verification
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
    client.connect(host)
    return client


def shell_safe(host):
    client = paramiko.SSHClient()
    client.load_system_host_keys()
    # ok: tls-verification
    client.set_missing_host_key_policy(paramiko.RejectPolicy())
    client.connect(host)
    return client


def decode_token(token, verify=True):
    # ok: tls-verification
    log.warning("requests are no longer sent with verify=False")
    return token if verify else None
