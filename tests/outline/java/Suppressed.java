// Generated? No.
package com.example;

@SuppressWarnings({"unchecked", "rawtypes"})
public class Suppressed {
    @SuppressWarnings("deprecation")
    private List items = new ArrayList(); // NOPMD

    // CHECKSTYLE:OFF
    public void a() {
        int x = 1; // NOSONAR
        // TODO: name it
    }
    // CHECKSTYLE:ON

    @SuppressFBWarnings(value = "NP_NULL", justification = "checked")
    void b() {
        //noinspection unchecked,ConstantConditions
        items.add(null);
        try {
            a();
        } catch (RuntimeException e) {
            e.printStackTrace();
        }
        System.out.println("done");
    }

    @SuppressLint("NewApi")
    void c() {}
}
