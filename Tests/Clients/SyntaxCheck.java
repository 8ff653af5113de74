import com.sun.source.util.JavacTask;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/**
 * Parses Java files and tells what is wrong with their syntax. No more than that: Kafka's classes,
 * which a compiler would need, are in no package of Debian.
 *
 * <p>Run it as `java SyntaxCheck.java FILE...`; needs a JDK.
 */
final class SyntaxCheck {
  public static void main(String[] paths) throws Exception {
    var compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) throw new IllegalStateException("this is no JDK: it has no compiler");
    var found = new DiagnosticCollector<JavaFileObject>();
    var files = compiler.getStandardFileManager(found, null, null);
    var sources = files.getJavaFileObjectsFromFiles(Arrays.stream(paths).map(File::new).toList());
    var task = (JavacTask) compiler.getTask(null, files, found, null, null, sources);
    var units = new ArrayList<>();
    task.parse().forEach(units::add);
    for (Diagnostic<?> problem : found.getDiagnostics()) System.err.println(problem);
    if (units.size() != paths.length || !found.getDiagnostics().isEmpty()) System.exit(1);
  }
}
