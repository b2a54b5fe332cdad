package taint_test

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/internal/taint"
)

const (
	unknown  = taint.Unknown
	outside  = taint.Outside
	local    = taint.Local
	harmless = taint.Harmless
	built    = taint.Built
)

func TestOf(t *testing.T) {
	tests := []struct {
		name, value, above string
		want               taint.Origin
	}{
		{"source", "req.query.id", "", outside},
		{"literal", `"ls" + 'x'`, "", harmless},
		{"nothing known", "id", "", unknown},
		{"named as a constant", "TABLE", "", harmless},
		{"assigned a source", "id", "const id = req.query.id;", outside},
		{"assigned a literal", "id", `id := "a"`, harmless},
		{"converted in parentheses", "$id", "$id = (int) ($_GET['id'] ?? 0);", harmless},
		{"validated", "$n", "$n = filter_var($_GET['n'], FILTER_VALIDATE_INT);", harmless},
		{"not validated", "$n", "$n = filter_var($_GET['n'], FILTER_DEFAULT);", outside},
		{"converted into an f-string", `f"nc -z {port}"`, "port = int(request.args['port'])", harmless},
		{"chosen from a constant", "m", "m = METHODS.fetch(params[:m], :all)", harmless},
		{"nearest assignment", "id", "id = req.query.id\nid = 'x'", harmless},
		{"appended to", "cmd", "cmd = 'ls '\ncmd += req.body.dir", outside},
		{"over another name", "cmd", "$dir = $_GET['d'];\n$cmd = 'ls ' . $dir;", outside},
		{"interpolated", "cmd", "dir = params[:dir]\ncmd = \"ls #{dir}\"", outside},
		{"f-string", "cmd", "d = request.args['d']\ncmd = f'ls {d}'", outside},
		{"destructured", "id", "const { id, name } = req.body;", outside},
		{"with a type", "id", "String id = request.getParameter(\"id\");", outside},
		{"in a condition", "id", "if id := r.FormValue(\"id\"); id != \"\" {", outside},
		{"in the same line", "x", "function f(req) { var x = req.query.x; g(", outside},
		{"converted", "id", "id = int(request.args['id'])", harmless},
		{"escaped", "escapeshellarg($x)", "$x = $_GET['x'];", harmless},
		{"returned by a function", "id", "id = find()", unknown},
		{"row", "row['a']", "$sql = 'a' . $_POST['a'];\n$result = mysqli_query($c, $sql);\n$row = mysqli_fetch_assoc($result);", unknown},
		{"rows of a method", "$row", "$result = $db->query('a' . $_POST['a']);\nwhile ($row = $result->fetch_assoc()) {", unknown},
		{"rows of a cursor", "row", "for row in cursor.execute('a' + request.args['a']):", unknown},
		{"query of a request", "x", "x := r.URL.Query().Get(\"x\")", outside},
		{"query method of a request", "$x", "$x = $request->query('x');", outside},
		{"formatted", "q", `q := fmt.Sprintf("a %s", "b")`, harmless},
		{"assignment in a literal", "id", `q = "a where id = 'x'"`, unknown},
		{"assignment in a literal that goes on", "id", "q = `a where id = ${", unknown},
		{"assignment in the same literal", "id", "call(`a where id = ${", unknown},
		{"comparison", "id", "if id == req.query.id {", unknown},
		{"keyword argument", "cmd", "run(cmd, shell=True)", unknown},
		{"other params", "x", "x = module.params['x']", unknown},
		{"source in an argument", "cmd", "f(cmd, t=request.args['t'])", unknown},
		{"loop", "x", "for x in request.args.getlist('x'):", outside},
		{"block", "x", "params[:ids].each do |x|", outside},
		{"pointer", "v", "json.NewDecoder(r.Body).Decode(&v)", outside},
		{"buffer", "buf", "fgets(buf, sizeof buf, f);", local},
		{"annotation", "id", "@GetMapping\npublic String f(@RequestParam String id, int n) {\n", outside},
		{"annotation of another", "n", "public String f(int n, @RequestParam String id) {\n", unknown},
		{"route", "name", "@app.route('/user/<name>')\ndef user(name):", outside},
		{"parameter", "id", "id = req.query.id\nfunction f(id) {", unknown},
		{"other function above", "id", "def f():\n  id = request.args['id']\n\ndef g():\n  pass", unknown},
		{"function that has ended", "id", "func f() {\n\tid := r.FormValue(\"id\")\n}\n", unknown},
		{"method that has ended", "id", "  get(a) {\n    let id = req.query.id;\n  }\n", unknown},
		{"function around", "id", "app.get('/', (req, res) => {\n  const id = req.query.id;\n  db.query(q, (err) => {", outside},
		{"block above", "cmd", "if a:\n  cmd = sys.argv[1]\n", local},
		{"field", "self.cmd", "self.cmd = os.environ['X']", local},
		{"field of another", "a.cmd", "b.cmd = os.environ['X']", unknown},
		{"built from a parameter", "q", "String f(String id) {\n\tString q = \"a = '\" + id + \"'\";", built},
		{"built in steps", "q", "q = 'a ';\nq += 'b ' + find();", built},
		{"built with a format", "q", "q = String.format(\"a %s\", id);", built},
		{"built by interpolation", "q", "q = $\"a {id}\";", built},
		{"built of constants", "q", "q = \"a \" + TABLE", harmless},
		{"argument of a call", "q", "q = find(\"a\", id)", unknown},
		{"replaced in some cases", "host", "    host = request.args.get('h')\n    if not host:\n        host = 'localhost'", outside},
		{"replaced in some cases, on one line", "id", "    $id = $_GET['id'];\n    if (!$id) $id = 1;", outside},
		{"replaced if not in a list", "name", "    name = request.args['n']\n    if name not in NAMES:\n        name = 'x'", harmless},
		{"literals in all cases", "q", "    if a:\n        q = 'x'\n    else:\n        q = 'y'", harmless},
		{"parameter that is replaced in some cases", "q", "def f(q):\n    if not q:\n        q = 'x'", unknown},
		{"cast", "(int)$_GET['a'] . 'x'", "", harmless},
		{"cast next to a source", "(int)$_GET['a'] . $_GET['b']", "", outside},
		{"converted by a method", "params[:a].to_i", "", harmless},
		{"converted by a method next to a source", "params[:a].to_i.to_s + params[:b]", "", outside},
		{"looked up in a table", "cmd", "name = request.args['n']\ncmd = NAMES[name]", harmless},
		{"table that is chosen", "TABLES[params[:t]]", "", harmless},
		{"tested against a list", "cmd", "cmd = params[:cmd]\nreturn unless COMMANDS.include?(cmd)", harmless},
		{"another value in a list", "cmd", "cmd = params[:cmd]\nreturn unless COMMANDS.include?(name)", outside},
		{"converted, with an error", "id", "id, err := strconv.Atoi(r.FormValue(\"id\"))", harmless},
		{"formatted as a number", "q", `q := fmt.Sprintf("a = %d", r.FormValue("id"))`, harmless},
		{"formatted as text too", "q", `q := fmt.Sprintf("a = %d %s", n, r.FormValue("id"))`, outside},
		{"escaped by a package", "cmd", "cmd = 'ls ' + Shellwords.escape(params[:dir])", harmless},
		{"composed by a library", "q", "q = sql.SQL('a {f}').format(f=sql.Identifier(name))", harmless},
		{"named placeholder", "q", "q = 'a {f}'.format(f='b')", harmless},
		{"file of the program", "f.path", "Tempfile.open('x') do |f|", harmless},
		{"escaped again", "ip", "def run(ip)\n    ip = Shellwords.shellescape(ip)", harmless},
		{"number put into a literal", "q", "q = \"kill %d\" % id", unknown},
		{"unescaped", "x", "x = unescape(location.hash)", outside},
		{"record", "user", "user = User.find params[:id]", unknown},
		{"name of a package", "sql", "sql = 'a'\njava.sql.Connection c = connect();", harmless},
		{"name of an uploaded file", "$_FILES['f']['name']", "", outside},
		{"where an uploaded file is", "$_FILES['f']['tmp_name']", "", harmless},
		{"name of the script", "$_SERVER['SCRIPT_NAME'] . '?a'", "", harmless},
		{"annotated number", "id", "public IActionResult F([FromQuery] int id, [FromQuery] string s) {", unknown},
		{"annotated text", "s", "public IActionResult F([FromQuery] int id, [FromQuery] string s) {", outside},
		{"found by its id", "user.Path", "id = req.query.id\nvar user = users.GetUserById<Person>(id);", unknown},
		{"looked up by its name", "p.Icon", "name = req.query.name\np = plugins.GetPlugin(name, 1);", unknown},
		{"name in single quotes", "q", "$n = $_GET['n'];\n$q = 'a ' . '$n';", harmless},
		{"error", "err", "body, err := io.ReadAll(r.Body)", harmless},
		{"default of a parameter", "cmd", "def f(cmd='ls'):", unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines := strings.Split(tt.above, "\n")
			if !strings.HasSuffix(tt.above, "g(") {
				lines = append(lines, "    call(")
			}
			if got := taint.Of(tt.value, lines); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestGoFile(t *testing.T) {
	g := taint.ParseGo(`package p

const table = "users"

var dir, changed = "/tmp", "x" // anyone may assign to them

func f(arg string) {
	changed = arg
	local := "a" + table
	list := []string{local, table}
	both := "a"
	if arg != "" {
		both = arg
	}
	var declared string
	fmt.Sscan(arg, &declared)
	for _, each := range list {
		run(each)
	}
	formatted := fmt.Sprintf("%s", local)
	loop := loop + table
	field, element := command{}, []string{table}
	field.name, element[0] = arg, arg
	fixed := []string{table}
	fixed[0] = "b"
}

func table2(table string) {
}
`)
	for value, want := range map[string]bool{
		`"x"`: true, "table": true, "dir": false, "changed": false, "local": true, "list": true, "both": false, "declared": false,
		"each": false, "formatted": true, "loop": true, "field": false, "element": false, "fixed": true, "arg": false, "nowhere": false, "local + arg": false, "local + table": true, "find()": false,
	} {
		if got := g.IsConstant(value, 9); got != want {
			t.Errorf("IsConstant(%q) = %v, want %v", value, got, want)
		}
	}
	if g.IsConstant("table", 28) {
		t.Error("a parameter is constant")
	}
	if taint.ParseGo("func") != nil {
		t.Error("got a file")
	}
}

func FuzzOf(f *testing.F) {
	f.Add("a", "a = $_GET['x']\nfunc f() {")
	f.Fuzz(func(t *testing.T, value, above string) { taint.Of(value, strings.Split(above, "\n")) })
}
