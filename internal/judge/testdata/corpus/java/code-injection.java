package sheet;

import groovy.lang.GroovyShell;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import javax.script.ScriptEngine;
import javax.script.ScriptEngineManager;
import javax.script.ScriptException;
import ognl.Ognl;
import ognl.OgnlException;
import org.mvel2.MVEL;
import org.springframework.expression.ExpressionParser;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class FormulaController {
    private static final String TAX = "price * 0.19";
    private final ExpressionParser parser = new SpelExpressionParser();
    private final ScriptEngine engine = new ScriptEngineManager().getEngineByName("nashorn");

    @GetMapping("/calc")
    Object calc(HttpServletRequest req) throws ScriptException {
        // ruleid: code-injection
        return engine.eval(req.getParameter("expression"));
    }

    @GetMapping("/calc/tax")
    Object tax(@RequestParam double price) throws ScriptException {
        engine.put("price", price);
        // ok: code-injection
        return engine.eval(TAX);
    }

    @GetMapping("/spel")
    Object spel(@RequestParam String filter) {
        // ruleid: code-injection
        return parser.parseExpression(filter).getValue();
    }

    @GetMapping("/spel/safe")
    Object spelSafe(@RequestParam String name) {
        // ok: code-injection
        return parser.parseExpression("name.length()")
            .getValue(SimpleEvaluationContext.forReadOnlyDataBinding().build(), Map.of("name", name));
    }

    @PostMapping("/groovy")
    Object groovy(@RequestBody String script) {
        // ruleid: code-injection
        return new GroovyShell().evaluate(script);
    }

    Object groovyBanner() {
        // ok: code-injection
        return new GroovyShell().evaluate("println 'sheet is ready'");
    }

    Object ognl(HttpServletRequest req, Object root) throws OgnlException {
        String path = req.getParameter("path");
        // ruleid: code-injection
        return Ognl.getValue(path, root);
    }

    Object ognlFixed(Object root) throws OgnlException {
        // ok: code-injection
        return Ognl.getValue("cells[0].value", root);
    }

    Object mvel(HttpServletRequest req, Map<String, Object> row) {
        // ruleid: code-injection
        return MVEL.eval(
            "row." + req.getParameter("column"),
            row);
    }

    Object load(HttpServletRequest req) throws ReflectiveOperationException {
        String type = req.getParameter("type");
        // ruleid: code-injection
        return Class.forName(type).getDeclaredConstructor().newInstance();
    }

    Object loadDriver() throws ReflectiveOperationException {
        // ok: code-injection
        return Class.forName("org.postgresql.Driver").getDeclaredConstructor().newInstance();
    }

    String help() {
        // ok: code-injection
        return "Formulas are parsed, they do not reach engine.eval(expression).";
    }
}
