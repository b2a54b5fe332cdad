package diff

import "strings"

// All the names below are in lower case; for the globs see patterns.go.

// credentialPatterns are globs of the files of tools, and of kinds of keys.
var credentialPatterns = append(strings.Fields(`
	.ssh/ .gnupg/ .kube/ .oci/ .password-store/ .secrets/ .env/ .envs/ .auth/ **/.config/gcloud/** **/.aws/sso/** **/.aws/cli/** **/sops/age/** .cloudflared/ .snowsql/
	**/.subversion/auth/** *.agilekeychain/ *.opvault/

	*npmrc .yarnrc .yarnrc.yml *pypirc .netrc _netrc netrc .my.cnf my.cnf .mylogin.cnf .dockercfg .dockerconfigjson
	.*credentials .authinfo .pg_service.conf .terraformrc terraform.rc .s3cfg .boto .databrickscfg .esmtprc .msmtprc .fetchmailrc .sentryclirc
	.mbsyncrc .muttrc .curlrc .wgetrc .rediscli_auth .flaskenv .dev.vars .dev.vars.* .*_history key.properties
	signing.properties local.settings.json sftp.json sftp-config.json .ftpconfig .remote-sync.json recentservers.xml
	sitemanager.xml kaggle.json ngrok.yml *rclone.conf .runtimeconfig.json .clasprc.json buildkite-agent.cfg k3s.yaml *offlineimaprc wpa_supplicant.conf wg[0-9]*.conf
	*firebase-adminsdk*.json bitwarden*export* lastpass*export* 1password*export* *.1pux *token_cache* pass.txt cookies.txt wallet.dat utc--* **/github-copilot/*.json

	**/.aws/config **/.azure/accesstokens.json **/.azure/service_principal_entries.* **/.docker/config.json **/kube/config
	**/.m2/settings*.xml **/.config/gh/hosts.yml **/.config/glab-cli/config.yml
	**/.config/doctl/config.yaml **/.config/hcloud/cli.toml **/.config/hub **/.config/op/config **/.config/stripe/config.toml
	**/.config/configstore/*.json **/.config/filezilla/*.xml **/.wrangler/config/*.toml **/.circleci/cli.yml **/.fly/config.yml **/.netlify/config.json
	**/.config/linode-cli **/.cf/config.json **/.mc/config.json **/.jfrog/jfrog-cli.conf* **/.idea/webservers.xml **/.aliyun/config.json **/.snowflake/connections.toml
	**/.gradle/gradle.properties **/etc/shadow **/etc/gshadow

	id_rsa* id_dsa* id_ecdsa* id_ed25519* *_rsa *_ed25519
	*.key *.p8 *.p12 *.pfx *.pkcs12 *.jks *.jceks *.keystore *.bks *.ppk *.kdb *.kdbx *.keychain *.keychain-db *.keytab
	*.ovpn *.agekey *.tfstate *.tfvars *.tfvars.json *.tfplan *.psafe3 *.publishsettings *.pubxml.user`), publicPatterns...)

// publicPatterns are globs of those that often hold no secret.
var publicPatterns = strings.Fields(`
	*npmrc .yarnrc .yarnrc.yml .envrc .flaskenv .terraformrc pip.conf my.cnf
	**/.ssh/config **/.ssh/known_hosts **/.ssh/authorized_keys *.pem *.gpg *.pgp *key.asc *private*.asc *secret*.asc *.mobileprovision`)

// credentialNouns name credentials in a file of data. In a file of code they name
// what the code is about.
var credentialNouns = strings.Fields(`
	credential cred secret password passwd passphrase htpasswd pgpass vaultpass token apikey apisecret accesskey accesstoken
	authtoken secretkey privatekey deploykey sshkey rootkey masterkey signingkey encryptionkey clientsecret serviceaccount
	serviceprincipal kubeconfig keystore keypair recoverycode seedphrase`)

// weakNouns name credentials at the end of the name of a small file.
var weakNouns = strings.Fields(`key pwd`)

// aboutWords make of a name with credentialNouns that of something else.
var aboutWords = strings.Fields(`
	public primary foreign reset forgot policy policies rules schema types strings messages validation requirements strength manager
	provider rotation scanning form fields example sample template`)

var dataExtensions = append(strings.Fields(`
	.json .yml .yaml .toml .ini .csv .xml .properties .txt .conf .cfg .config .cnf .enc .db .dat .bin .plist .xcconfig`), "")

var backupExtensions = strings.Fields(`.bak .backup .old .orig .save .sav .swp .swo .copy`)

var templateWords = strings.Fields(`example examples sample samples template templates tmpl tpl dist schema default defaults`)

// otherDirs are directories of files that refer to credentials.
var otherDirs = strings.Fields(`.github templates locale locales lang langs i18n l10n translations intl messages schema schemas`)

var programDirs = strings.Fields(`bin sbin script scripts hooks hack`)

var codeDirs = strings.Fields(`src internal pkg lib packages modules components charts test tests testdata`)

// projectNames are those of files that describe a directory.
var projectNames = strings.Fields(`readme license .gitkeep .gitignore .gitattributes package.json tsconfig.json kustomization.yaml`)
