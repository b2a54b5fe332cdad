import requests


def fetch(url):
    return requests.get(url)  # want "py-requests-without-timeout"
