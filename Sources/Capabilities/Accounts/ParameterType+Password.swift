import Auth
import DomainKit
import JSON
import RPCServer

extension ParameterType<String> {
    /// A password that an account will have. It must conform to the policy for passwords, except that it may be the
    /// e-mail address of the account, which is unknown here.
    static var newPassword: Self {
        let schema = FieldType.text(Patterns.text, maxLength: PasswordPolicy.maxLength)
            .adding("minLength", .integer(PasswordPolicy.minLength)).adding("format", "password")
            // Common passwords are refused too, which a schema cannot express.
            .adding("x-verified", true)
        var type = Self(schema: schema, example: concealed) { value, path, problems in
            guard let password = text.decode(value, path, &problems) else { return nil }
            guard let error = PasswordPolicy.violation(in: password, email: "") else { return password }
            problems.append(error.problem(at: path))
            return nil
        }
        type.isSecret = true
        return type
    }
}
