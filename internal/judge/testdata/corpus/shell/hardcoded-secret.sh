#!/bin/bash
# Publishes a build.

# ruleid: hardcoded-secret
export AWS_ACCESS_KEY_ID=AKIA9XQZ3TLWR7VNKJ2P
# ruleid: hardcoded-secret
export AWS_SECRET_ACCESS_KEY=t7Zx2Lw9Rv0Tq5Hf3Yc8Pd1JmNs6GuAoEbQi4+Kz

# ok: hardcoded-secret
export AWS_ACCESS_KEY_ID="${DEPLOY_KEY_ID:?not set}"
# ok: hardcoded-secret
export AWS_SECRET_ACCESS_KEY=$(pass show deploy/aws)
# ok: hardcoded-secret
export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE

# ruleid: hardcoded-secret
DB_PASSWORD='Tz8-qLx3vRw7'

# ok: hardcoded-secret
DB_PASSWORD=$(cat /run/secrets/db_password)

# ok: hardcoded-secret
read -r -s -p "Password: " password

# ruleid: hardcoded-secret
curl -u "deploy:Xw9_kTz3qLv7" -T build.tgz https://repo.example.net/builds/

# ok: hardcoded-secret
curl -u "deploy:$password" -T build.tgz https://repo.example.net/builds/

# ruleid: hardcoded-secret
curl -H "Authorization: token ghp_Lk9XqTz3vRw7NmPb2YcHd5JfGs8AuE1oQi4K" https://api.github.com/user

# ok: hardcoded-secret
curl -H "Authorization: token $GITHUB_TOKEN" https://api.github.com/user

# ok: hardcoded-secret
PASSWORD=changeme ./smoke-test.sh

# ruleid: hardcoded-secret
mysqldump -u backup -pQz7vTx3kLw9 shop > shop.sql
